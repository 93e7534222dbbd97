"""The conversations that try an agent, as data. Each is short, and has a process of its own.

The steps of a probe have the form of a script (`replay.written.form`, docs/drive.md). In their texts,
`{prompt}` and `{cancel_prompt}` are those of the user, `{cwd}` is the sessions' directory, and `{session}`
the id of the session `a` that an earlier process of the probe opened. What an agent offers beside that,
modes and options, is tried as `drive --all` tries it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from acp_trace import __version__
from acp_trace.conform.checks import UNKNOWN, UNUSED
from acp_trace.protocol import methods
from acp_trace.replay.written.announced import Announced
from acp_trace.replay.written.exercises import login, other_modes, other_values
from acp_trace.replay.written.form import conversation
from acp_trace.replay.written.steps import WrittenConversation, WrittenStep

Table = Mapping[str, Any]
#: What an earlier probe must have shown: that sessions can be made, that a prompt is answered.
Need = Literal["", "session", "prompt"]

PROMPT = "Answer with one word: hello."
CANCEL_PROMPT = "Count from 1 to 500 in words, one number on each line. Use no tools, and do not stop early."
#: No agent has this version.
NEVER = 65535
_NAME = re.compile(r"\{([a-z_]+)\}")
#: As far as a turn that is cancelled goes: its first output, or so long without one.
_UNDER_WAY = "1 update or 5s"


@dataclass(frozen=True, slots=True)
class Probe:
    """One conversation. `capability`: what the agent must announce for it to be tried; `about`: in words.

    `again`: what a second process is asked in the same directory, with the ids that the first one gave.
    `otherwise`: what a third one is asked if the second refused something: some agents know only the sessions
    of their own process. `offered`: the modes and options of an agent are tried at its end.
    `is_for_pipes`: it is about lines, which HTTP does not have: a server refuses such a request by itself.
    `logs_in`: a login that the user wants comes before its steps.
    """

    name: str
    about: str
    steps: tuple[Table, ...]
    needs: Need = ""
    capability: str = ""
    is_for_pipes: bool = False
    logs_in: bool = True
    again: tuple[Table, ...] = ()
    otherwise: tuple[Table, ...] = ()
    offered: bool = False


def _initialize(version: int) -> Table:
    info = {"name": "acp-trace", "title": "acp-trace", "version": __version__}
    params = {"protocolVersion": version, "clientCapabilities": {}, "clientInfo": info, "info": info}
    return {"request": methods.INITIALIZE, "params": params}


def _prompt(session: str, text: str, **more: Any) -> Table:
    """A prompt of a form that no step has."""
    prompt = [{"type": "text", "text": text}]
    return {"request": methods.PROMPT, "params": {"sessionId": session, "prompt": prompt, **more}}


def _quiet(time: str) -> Table:
    return {"pause": time}


_NEW, _TURN, _LONG = {"new": "a"}, {"prompt": "{prompt}"}, {"prompt": "{cancel_prompt}"}
_LOAD, _RESUME = ({"load": "{session}"}, _quiet("1s")), ({"resume": "{session}"}, _quiet("300ms"))
_SHORT = _quiet("300ms")

PROBES: tuple[Probe, ...] = (
    Probe("initialize", "initialize, then the end of the input", (), logs_in=False),
    Probe("version", f"initialize with version {NEVER}", (_initialize(NEVER),), logs_in=False),
    Probe(
        "unknown-method",
        "requests and notifications that no agent knows, then session/new",
        (
            {"request": f"{UNKNOWN}unknown"},
            {"request": "_acp_trace/unknown"},
            {"notify": "_acp_trace/note"},
            _SHORT,
            _NEW,
        ),
    ),
    Probe(
        "invalid-params",
        "session/new without its directory, then as it should be",
        ({"request": methods.NEW, "params": {"mcpServers": []}}, _SHORT, _NEW),
    ),
    Probe(
        "malformed-line",
        "a line that is not JSON, then session/new",
        ({"send": '{"jsonrpc": "2.0", "id": 99, "method": "session/new", "par'}, _SHORT, _NEW),
        is_for_pipes=True,
    ),
    Probe(
        "invalid-envelope",
        "JSON that is not JSON-RPC, then session/new",
        ({"send": '{"hello": "acp-trace"}'}, _SHORT, _NEW),
        is_for_pipes=True,
    ),
    Probe("sessions", "two sessions", (_NEW, {"new": "b"}, _SHORT)),
    Probe("settings", "another mode, another value of an option", (_NEW,), "session", offered=True),
    Probe("prompt", "each prompt, one turn after another", ({"prompts": True}, _SHORT), "session"),
    Probe(
        "unknown-session",
        "a prompt for a session that was never made",
        (_prompt("acp-trace-no-session", "Hi"),),
    ),
    Probe("resource-link", "a prompt with a link", ({**_TURN, "content": ["link"]},), "prompt"),
    Probe(
        "meta",
        "a prompt with _meta",
        (_NEW, _prompt("${a}", "{prompt}", _meta={"acp-trace.example/key": "value"})),
        "prompt",
    ),
    *(
        Probe(kind, f"a prompt with {about}", ({**_TURN, "content": [word]},), "prompt", capability)
        for kind, about, word, capability in (
            ("image", "an image", "image", "promptCapabilities.image"),
            ("audio", "sound", "audio", "promptCapabilities.audio"),
            ("embedded", "a file in it", "resource", "promptCapabilities.embeddedContext"),
        )
    ),
    Probe(
        "cancel",
        "a cancel in the middle of a turn, then another prompt",
        (_LONG, {"cancel": True, "after": _UNDER_WAY}, _quiet("1s"), _TURN),
        "prompt",
    ),
    Probe(
        "load",
        "a session that is loaded after a turn",
        (_NEW, _TURN),
        "prompt",
        "loadSession",
        again=_LOAD,
        otherwise=(_NEW, _TURN, {"load": "a"}, _quiet("1s")),
    ),
    Probe(
        "resume",
        "a session that is resumed after a turn",
        (_NEW, _TURN),
        "prompt",
        "sessionCapabilities.resume",
        again=_RESUME,
        otherwise=(_NEW, _TURN, {"resume": "a"}, _SHORT),
    ),
    Probe(
        "list",
        "the list of sessions, and of those in a directory that has none",
        (_NEW, {"list": True}, {"request": methods.LIST, "params": {"cwd": "{cwd}" + UNUSED}}),
        "session",
        "sessionCapabilities.list",
    ),
    Probe(
        "close",
        "an idle session that is closed",
        (_NEW, {"close": "a"}, _SHORT),
        "session",
        "sessionCapabilities.close",
    ),
    Probe(
        "close-in-turn",
        "a session that is closed in the middle of a turn",
        (_NEW, _LONG, {"close": "a", "after": _UNDER_WAY}, _quiet("500ms")),
        "prompt",
        "sessionCapabilities.close",
    ),
    Probe(
        "delete",
        "a session that is deleted, twice",
        (_NEW, {"delete": "a"}, {"delete": "a"}),
        "session",
        "sessionCapabilities.delete",
    ),
    Probe(
        "directories",
        "a session with another directory",
        ({**_NEW, "additional_directories": ["."]},),
        "session",
        "sessionCapabilities.additionalDirectories",
    ),
)


def script(
    steps: Sequence[Table],
    words: Mapping[str, str],
    prompts: Sequence[str],
    offered: Announced | None = None,
    login_id: str | None = None,
) -> WrittenConversation:
    """The conversation of a probe. `words`: the values of `{cwd}` and the like; `prompts`: the user's.

    It announces nothing, so it refuses all of the agent's requests but permissions, which it grants, once if
    it can. `offered`: the agent's offers that are tried at the end.
    `login_id`: it logs in with this method first.
    """
    tables: list[Table] = []
    for step in steps:
        tables += [{"prompt": text} for text in prompts] if "prompts" in step else [_filled(step, words)]
    said = conversation(
        {"steps": tables or [{"pause": "1ms"}], "permission": "allow_once", "mixed_ids": True}
    )
    more = [] if offered is None else [*_settings(offered)]
    return WrittenConversation((*login(login_id), *said.steps, *more), said.permission, mixed_ids=True)


def _settings(offered: Announced) -> Iterator[WrittenStep]:
    """Another mode and another value of the first option, and back: some agents remember them."""
    yield from other_modes(offered, "a", most=1)
    of_choice = (option for option in offered.options if not isinstance(option.current, bool))
    yield from next((steps for option in of_choice if (steps := [*other_values(option, "a", most=1)])), [])


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    """A value in which the words replace their names; other texts stay."""
    if isinstance(value, str):
        return _NAME.sub(lambda found: words.get(found[1], found[0]), value)
    if isinstance(value, Mapping):
        return {key: _filled(each, words) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(each, words) for each in value]
    return value
