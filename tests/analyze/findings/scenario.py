"""What a scenario is: a few frames, the code that they are about, and all findings that they raise.

Lines that are no JSON stand in a scenario as bytes. What `model` says is an entry of the model's side, and no frame.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any, NamedTuple

from acp_trace.analyze.facts import Finding
from acp_trace.analyze.findings.codes import CODES
from tests.reading.talk import Said, answer, ask, opened
from tests.support import END, INFO, analyzed, header, line

#: Everything that a side may announce, so that scenarios are about what they are about.
CLIENT: dict[str, Any] = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "elicitation": {"form": {}},
    "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
}
AGENT: dict[str, Any] = {
    "loadSession": True,
    "auth": {"logout": {}},
    "sessionCapabilities": {"resume": {}, "list": {}, "close": {}, "delete": {}, "fork": {}},
}

#: The same for version 2.
CLIENT_2: dict[str, Any] = {"elicitation": {"form": {}}}
AGENT_2: dict[str, Any] = {"session": {"delete": {}, "fork": {}}}


#: What a short scenario leaves out (output, an end, options …) when it is not about that.
INCIDENTAL = frozenset(
    {
        "history-missing",
        "history-differs",
        "mode-unknown",
        "permission-cancelled-alone",
        "permission-option-unknown",
        "permission-without-options",
        "prompt-not-echoed",
        "session-untitled",
        "state-skipped",
        "terminal-not-released",
        "terminal-unknown",
        "title-only-listed",
        "tool-call-unfinished",
        "turn-empty",
        "turn-unfinished",
        "update-before-prompt",
        "usage-missing",
    }
)


@dataclass(frozen=True)
class Found:
    """A finding, without its message."""

    code: str
    blame: str
    frame: int
    session: str | None = None
    count: int = 1


class Scenario(NamedTuple):
    """A trace that is about one code. `found`: all findings that it raises, in order. `step`: ns a frame.

    `ended`: what its footer says, if that is not that the agent ended by itself with 0.
    """

    code: str
    name: str
    said: list[Said]
    found: tuple[Found, ...]
    raises: bool
    step: int
    ended: dict[str, Any] | None = None

    @property
    def file(self) -> bytes:
        """The trace file."""
        lines = [header()]
        for number, (sender, message) in enumerate(self.said, 1):
            content = {"model": message} if sender == "model" else {"from": sender, **_content(message)}
            lines.append(line(t=number * self.step, **content))
        return b"".join([*lines, line(t=(len(self.said) + 1) * self.step, end={**END, **(self.ended or {})})])


def raises(code: str, name: str, said: list[Said], *found: Found, step: int = 1000, **ended: Any) -> Scenario:
    """A scenario that raises the code."""
    return Scenario(code, name, said, found, raises=True, step=step, ended=ended)


def spares(code: str, name: str, said: list[Said], *found: Found, step: int = 1000, **ended: Any) -> Scenario:
    """A near miss: a scenario that looks alike and does not raise the code. Others only where they must be."""
    return Scenario(code, name, said, found, raises=False, step=step, ended=ended)


def found_in(scenario: Scenario) -> list[Found]:
    """What the analysis finds, without what a scenario that is about something else leaves out."""
    named = {scenario.code, *(one.code for one in scenario.found)}
    return [
        _found(one)
        for one in analyzed(scenario.file)[0].findings
        if one.code in named or not (one.code in INCIDENTAL or CODES[one.code].group == "payloads")
    ]


def hello(version: int = 1, *, client: Any = None, agent: Any = None) -> list[Said]:
    """Frames 1 and 2: an initialize with its answer, in which each side announces all, or just this."""
    all_ = (CLIENT_2, AGENT_2) if version == 2 else (CLIENT, AGENT)
    said: list[Any] = [all_[0] if client is None else client, all_[1] if agent is None else agent]
    keys = ("capabilities", "capabilities") if version == 2 else ("clientCapabilities", "agentCapabilities")
    info = {"info": INFO} if version == 2 else {}
    return [
        ask("i", "initialize", protocolVersion=version, **{keys[0]: said[0]}, **info),
        answer("i", protocolVersion=version, **{keys[1]: said[1]}, **info),
    ]


def start(version: int = 1, **result: Any) -> list[Said]:
    """Frames 1 to 4: an initialize and a session `s`, opened with this."""
    return [*hello(version), *opened("s", **result)]


def _content(message: Any) -> dict[str, Any]:
    if not isinstance(message, bytes):
        return {"frame": message}
    try:
        return {"text": message.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(message).decode()}


def _found(one: Finding) -> Found:
    return Found(one.code, one.blame, one.frame, one.session_id, one.count)
