"""The conversations that try an agent, as data. Each is short, and has a process of its own.

A probe is a table, as it could stand in a file: its `steps` are tables with one verb each.

    {"call": METHOD, "params": {…}}   sends a request and waits for its answer
    {"open": METHOD, "params": {…}}   sends a request, and goes on
    {"note": METHOD, "params": {…}}   sends a notification
    {"line": TEXT}                    sends this line as it is
    {"updates": N, "ms": N}           waits for N messages or tool updates of the turn, or so long
    {"wait": "answers"}               waits until all requests are answered
    {"quiet_ms": N}                   waits so long, whatever comes

In texts, `{cwd}` is the session's directory, `{session}` the id of the last session that was made, `{prompt}`
and `{cancel_prompt}` are those of the user. `{mode}`, `{option}` and `{value}` are taken from what the agent
offers: another mode, and another value of an option; without one, the step is left out. Both are set back
afterwards (`{mode_before}`, `{value_before}`), because some agents remember them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from acp_trace.conform.checks import UNKNOWN, UNUSED
from acp_trace.protocol import methods

Step = Mapping[str, Any]
#: What an earlier probe must have shown: that sessions can be made, that a prompt is answered.
Need = Literal["", "session", "prompt"]

PROMPT = "Answer with one word: hello."
CANCEL_PROMPT = "Count from 1 to 500 in words, one number on each line. Use no tools, and do not stop early."
#: No agent has this version.
NEVER = 65535
#: One pixel, and silence of no length.
_IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_AUDIO = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="


@dataclass(frozen=True, slots=True)
class Probe:
    """One conversation. `capability`: what the agent must announce for it to be tried; `about`: in words.

    `again`: what a second process is asked in the same directory, with the ids that the first one gave.
    `otherwise`: what a third one is asked if the second refused something: some agents know only the sessions
    of their own process.
    `is_for_pipes`: it is about lines, which HTTP does not have: a server refuses such a request by itself.
    """

    name: str
    about: str
    steps: tuple[Step, ...]
    needs: Need = ""
    capability: str = ""
    is_for_pipes: bool = False
    again: tuple[Step, ...] = ()
    otherwise: tuple[Step, ...] = ()


def _initialize(version: int = 1) -> Step:
    params = {"protocolVersion": version, "clientCapabilities": {}}
    return {"call": methods.INITIALIZE, "params": params}


def _new(**more: Any) -> Step:
    return {"call": methods.NEW, "params": {"cwd": "{cwd}", "mcpServers": [], **more}}


def _prompt(*blocks: Mapping[str, Any], text: str = "{prompt}", verb: str = "call", **more: Any) -> Step:
    prompt = [{"type": "text", "text": text}, *blocks]
    return {verb: methods.PROMPT, "params": {"sessionId": "{session}", "prompt": prompt, **more}}


def _about_session(method: str, **more: Any) -> Step:
    return {"call": method, "params": {"sessionId": "{session}", **more}}


_INIT, _NEW = _initialize(), _new()
_LOAD = _about_session(methods.LOAD, cwd="{cwd}", mcpServers=[])
_RESUME = _about_session(methods.RESUME, cwd="{cwd}")
_LINK = {"type": "resource_link", "uri": "file:///etc/hostname", "name": "hostname"}
_TEXT = {"uri": "file:///notes.txt", "mimeType": "text/plain", "text": "Nothing of interest."}

PROBES: tuple[Probe, ...] = (
    Probe("initialize", "initialize, then the end of the input", (_INIT,)),
    Probe("version", f"initialize with version {NEVER}", (_initialize(NEVER),)),
    Probe(
        "unknown-method",
        "requests and notifications that no agent knows, then session/new",
        (
            _INIT,
            {"call": f"{UNKNOWN}unknown", "params": {}},
            {"call": "_acp_trace/unknown", "params": {}},
            {"note": "_acp_trace/note", "params": {}},
            {"quiet_ms": 300},
            _NEW,
        ),
    ),
    Probe(
        "malformed-line",
        "a line that is not JSON, then session/new",
        (
            _INIT,
            {"line": '{"jsonrpc": "2.0", "id": 99, "method": "session/new", "par'},
            {"quiet_ms": 300},
            _NEW,
        ),
        is_for_pipes=True,
    ),
    Probe(
        "invalid-envelope",
        "JSON that is not JSON-RPC, then session/new",
        (_INIT, {"line": '{"hello": "acp-trace"}'}, {"quiet_ms": 300}, _NEW),
        is_for_pipes=True,
    ),
    Probe(
        "sessions",
        "two sessions, another mode, another value of an option",
        (
            _INIT,
            _NEW,
            _NEW,
            _about_session(methods.SET_MODE, modeId="{mode}"),
            _about_session(methods.SET_MODE, modeId="{mode_before}"),
            _about_session(methods.SET_OPTION, configId="{option}", value="{value}"),
            _about_session(methods.SET_OPTION, configId="{option}", value="{value_before}"),
            {"quiet_ms": 300},
        ),
    ),
    Probe(
        "prompt",
        "each prompt, one turn after another",
        (_INIT, _NEW, {"prompts": True}, {"quiet_ms": 300}),
        "session",
    ),
    Probe(
        "unknown-session",
        "a prompt for a session that was never made",
        (
            _INIT,
            {
                **_prompt(),
                "params": {"sessionId": "acp-trace-no-session", "prompt": [{"type": "text", "text": "Hi"}]},
            },
        ),
    ),
    Probe("resource-link", "a prompt with a link", (_INIT, _NEW, _prompt(_LINK)), "prompt"),
    Probe(
        "meta",
        "a prompt with _meta",
        (_INIT, _NEW, _prompt(_meta={"acp-trace.example/key": "value"})),
        "prompt",
    ),
    Probe(
        "image",
        "a prompt with an image",
        (_INIT, _NEW, _prompt({"type": "image", "mimeType": "image/png", "data": _IMAGE})),
        "prompt",
        "promptCapabilities.image",
    ),
    Probe(
        "audio",
        "a prompt with sound",
        (_INIT, _NEW, _prompt({"type": "audio", "mimeType": "audio/wav", "data": _AUDIO})),
        "prompt",
        "promptCapabilities.audio",
    ),
    Probe(
        "embedded",
        "a prompt with a file in it",
        (_INIT, _NEW, _prompt({"type": "resource", "resource": _TEXT})),
        "prompt",
        "promptCapabilities.embeddedContext",
    ),
    Probe(
        "cancel",
        "a cancel in the middle of a turn, then another prompt",
        (
            _INIT,
            _NEW,
            _prompt(text="{cancel_prompt}", verb="open"),
            {"updates": 1, "ms": 5000},
            {"note": methods.CANCEL, "params": {"sessionId": "{session}"}},
            {"wait": "answers"},
            {"quiet_ms": 1000},
            _prompt(),
        ),
        "prompt",
    ),
    Probe(
        "load",
        "a session that is loaded after a turn",
        (_INIT, _NEW, _prompt()),
        "prompt",
        "loadSession",
        again=(_INIT, _LOAD, {"quiet_ms": 1000}),
        otherwise=(_INIT, _NEW, _prompt(), _LOAD, {"quiet_ms": 1000}),
    ),
    Probe(
        "resume",
        "a session that is resumed after a turn",
        (_INIT, _NEW, _prompt()),
        "prompt",
        "sessionCapabilities.resume",
        again=(_INIT, _RESUME, {"quiet_ms": 300}),
        otherwise=(_INIT, _NEW, _prompt(), _RESUME, {"quiet_ms": 300}),
    ),
    Probe(
        "list",
        "the list of sessions, and of those in a directory that has none",
        (
            _INIT,
            _NEW,
            {"call": methods.LIST, "params": {}},
            {"call": methods.LIST, "params": {"cwd": "{cwd}" + UNUSED}},
        ),
        "session",
        "sessionCapabilities.list",
    ),
    Probe(
        "close",
        "an idle session that is closed",
        (_INIT, _NEW, _about_session(methods.CLOSE), {"quiet_ms": 300}),
        "session",
        "sessionCapabilities.close",
    ),
    Probe(
        "close-in-turn",
        "a session that is closed in the middle of a turn",
        (
            _INIT,
            _NEW,
            _prompt(text="{cancel_prompt}", verb="open"),
            {"updates": 1, "ms": 5000},
            _about_session(methods.CLOSE),
            {"wait": "answers"},
            {"quiet_ms": 500},
        ),
        "prompt",
        "sessionCapabilities.close",
    ),
    Probe(
        "delete",
        "a session that is deleted, twice",
        (_INIT, _NEW, _about_session(methods.DELETE), _about_session(methods.DELETE)),
        "session",
        "sessionCapabilities.delete",
    ),
    Probe(
        "directories",
        "a session with another directory",
        (_INIT, _new(additionalDirectories=["{cwd}"])),
        "session",
        "sessionCapabilities.additionalDirectories",
    ),
)


def steps(probe: Probe, count: int) -> Iterator[Step]:
    """The steps of a probe; `count`: how many prompts the user gave, `{prompt0}` and so on."""
    for step in probe.steps:
        if "prompts" in step:
            yield from (_prompt(text=f"{{prompt{number}}}") for number in range(count))
        else:
            yield step
