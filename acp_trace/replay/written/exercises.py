"""A conversation that tries what an agent announces: steps, each with its purpose. Pure.

Steps that would change more than the directory of the run are left out: logging in and out, the agent's
providers, its commands. Sessions that are closed or deleted are those that the script opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from acp_trace.protocol import capabilities, methods
from acp_trace.replay.written.announced import Announced, OfferedOption
from acp_trace.replay.written.steps import After, WrittenConversation, WrittenStep

#: The prompt if none was given.
PROMPT = "Say hello in one short sentence."
CANCEL_PROMPT = "Count slowly from 1 to 200, one number a line."
#: Most other values of an option, and most modes, that are tried.
_MOST_VALUES = 3
_MAIN, _OTHER = "main", "other"
#: When a turn is cancelled: with its first visible output.
_FIRST = After(updates=1)


@dataclass(frozen=True, slots=True)
class DriveWish:
    """The user's wishes for a generated conversation. `login`: the id of a method."""

    prompts: Sequence[str] = ()
    cancel_prompt: str = CANCEL_PROMPT
    permission: str = "reject_once"
    login: str | None = None


class ScriptPart(NamedTuple):
    """Some steps, and their purpose."""

    title: str
    steps: list[WrittenStep]


def first(wanted: DriveWish) -> WrittenConversation:
    """Return the conversation that shows what an agent announces: it opens a session without a prompt."""
    return _answering([*login(wanted.login), WrittenStep("new", _MAIN)], wanted)


def simple(wanted: DriveWish, *, cancels: bool) -> WrittenConversation:
    """Return a conversation with these prompts in one session. `cancels`: then the cancelled one."""
    steps = [
        *login(wanted.login),
        WrittenStep("new", _MAIN),
        *(WrittenStep("prompt", text) for text in wanted.prompts),
    ]
    return _answering([*steps, *(_cancelled(wanted) if cancels else [])], wanted)


def conversation(parts: Sequence[ScriptPart], wanted: DriveWish) -> WrittenConversation:
    """Return all parts as one conversation, which answers every request of the agent."""
    return _answering([step for part in parts for step in part.steps], wanted)


def exercises(said: Announced, wanted: DriveWish) -> list[ScriptPart]:
    """Return the parts of a conversation that tries everything that this agent announces."""
    return [part for part in _parts(said, wanted) if part.steps]


def _answering(steps: Sequence[WrittenStep], wanted: DriveWish) -> WrittenConversation:
    return WrittenConversation(
        tuple(steps), wanted.permission, files=True, terminals=True, elicitation="accept", booleans=True
    )


def _parts(said: Announced, wanted: DriveWish) -> Iterator[ScriptPart]:
    path = capabilities.METHODS[1]

    def can(method: str) -> bool:
        return said.has(path[method])

    yield ScriptPart("Open a session", [*login(wanted.login), WrittenStep("new", _MAIN)])
    yield ScriptPart(
        "Options: another value, and back",
        [step for each in said.options for step in other_values(each, _MAIN)],
    )
    yield ScriptPart("Modes: each other one, and back", [*other_modes(said, _MAIN)])
    yield ScriptPart("Prompts", [WrittenStep("prompt", text) for text in wanted.prompts or [PROMPT]])
    yield ScriptPart("Prompts with what the agent takes", [*_contents(said)])
    yield ScriptPart("A turn that is cancelled", [*_cancelled(wanted)])
    other = [
        WrittenStep("new", _OTHER, _with(said)),
        WrittenStep("prompt", PROMPT, session=_MAIN, wait=False),
    ]
    yield ScriptPart("Two sessions at once", [*other, WrittenStep("prompt", PROMPT, session=_OTHER)])
    yield ScriptPart("The sessions", [WrittenStep("list", True)] if can(methods.LIST) else [])
    yield ScriptPart(
        "A title", [WrittenStep("set_title", "acp-trace", session=_MAIN)] if can(methods.SET_TITLE) else []
    )
    providers = [WrittenStep("request", "providers/list")] if can("providers/list") else []
    yield ScriptPart("Its providers", providers)
    yield ScriptPart("How a session is", [WrittenStep("status", _MAIN)] if can("session/status") else [])
    for verb, method in (("load", methods.LOAD), ("resume", methods.RESUME)):
        again = [WrittenStep(verb, _MAIN), WrittenStep("prompt", PROMPT, session=_MAIN)]
        yield ScriptPart(f"Open a session again: {verb}", again if can(method) else [])
    copied = [WrittenStep("fork", _MAIN, {"as": "copy"}), WrittenStep("prompt", PROMPT, session="copy")]
    yield ScriptPart("A copy of a session", copied if can(methods.FORK) else [])
    archived = [WrittenStep("archive", _OTHER), WrittenStep("unarchive", _OTHER)]
    yield ScriptPart("The archive", archived if can(methods.ARCHIVE) else [])
    yield ScriptPart("Close a session", [WrittenStep("close", _OTHER)] if can(methods.CLOSE) else [])
    yield ScriptPart("Delete a session", [WrittenStep("delete", _OTHER)] if can(methods.DELETE) else [])


def _with(said: Announced) -> dict[str, Any]:
    """Return the parameters of another session: an extra directory, an addition to the system prompt."""
    paths = capabilities.PARAMETERS[1]
    given: dict[str, Any] = {}
    if said.has(paths["additionalDirectories"]):
        given["additional_directories"] = ["."]
    if said.has(paths["systemPrompt"]):
        given["system_prompt"] = "Be brief."
    return given


def login(id_: str | None) -> list[WrittenStep]:
    """Return the steps that log in with the method of this id; none without an id."""
    return [] if id_ is None else [WrittenStep("authenticate", id_)]


def other_values(option: OfferedOption, session: str, *, most: int = _MOST_VALUES) -> Iterator[WrittenStep]:
    """Yield steps that set `most` other values of an option, then its old one, if that is offered."""
    others = [value for value in option.values if value != option.current][:most]
    back = [value for value in option.values if value == option.current]
    for value in [*others, *back]:
        yield WrittenStep("set_option", option.id, {"value": value}, session)


def other_modes(said: Announced, session: str, *, most: int = _MOST_VALUES) -> Iterator[WrittenStep]:
    """Yield steps that choose `most` other modes, then the old one."""
    others = [mode for mode in said.modes if mode != said.mode][:most]
    for mode in [*others, *([said.mode] if said.mode is not None and others else [])]:
        yield WrittenStep("set_mode", mode, session=session)


def _contents(said: Announced) -> Iterator[WrittenStep]:
    """Yield a prompt for each kind of content; every agent takes a link (initialization)."""
    kinds = ["resource_link", *(kind for kind, path in capabilities.CONTENT[1].items() if said.has(path))]
    for kind in kinds:
        word = "link" if kind == "resource_link" else kind
        yield WrittenStep("prompt", PROMPT, {"content": [word]}, _MAIN)


def _cancelled(wanted: DriveWish) -> list[WrittenStep]:
    return [WrittenStep("prompt", wanted.cancel_prompt), WrittenStep("cancel", True, after=_FIRST)]
