"""What follows from another divergence stands below it; what is a defect by itself does not, whatever is beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from acp_trace.compare.causes import causes
from tests.compare.conversation import (
    OPTIONS,
    Edit,
    asks,
    base,
    both,
    chunk,
    compared,
    config,
    drop,
    every,
    file,
    instead,
    permission,
    put,
    sets,
    tool,
)
from tests.reading.talk import answer, ask, call, chosen, opened, prompt, refuse, stop, up
from tests.support import error

_ALWAYS = {"optionId": "always", "name": "Allow all edits", "kind": "allow_always"}
_MODES = {"availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}
_FEWER = {"availableModes": _MODES["availableModes"][1:]}


class Case(NamedTuple):
    """`told`: each cause with what follows from it, as `cause: follower follower`. `begin`: of both traces."""

    what: str
    edit: Edit
    told: tuple[str, ...]
    begin: Edit = list


def _opened(model: str, mode: str, modes: object, choices: str) -> Edit:
    """The session has a mode, which is also an option."""
    _, session = opened(configOptions=config(model, choices=choices), modes={**modes, "currentModeId": mode})  # type: ignore[dict-item]
    return instead("session", session)


_TERMINAL = ("shell", "terminal", "wait", "exit", "release", "released")
_EDIT = ("edit", "permission", "allowed", "edit end")
_SHOWS = put("web", tool("c3", content=[{"type": "terminal", "terminalId": "t1"}]))
_META = instead(
    "title", up("session_info_update", title="A", updatedAt="2026-11-20T13:05:01Z", _meta={"a": 1})
)
_LOAD = put("closed", ask(8, "session/load", sessionId="s", cwd="/w", mcpServers=[]), answer(8))
_LOADS_OTHER = put("closed", ask(8, "session/load", sessionId="z", cwd="/w", mcpServers=[]), answer(8))
_NOT_THERE = "client", error(0, -32603, "No such file")
_NOT_LOADED = instead("closed +1", refuse(8, -32002))
_THREE = instead("permission", permission(1, "c2", options=[*OPTIONS, _ALWAYS]))
_OTHER_KIND = instead("edit", tool("c2", "pending", kind="execute", title="Edit a.txt"))
_NOT_SMALL = _opened("big", "ask", _MODES, "big tiny")
_STAYS_BIG = instead("was set", answer(2, configOptions=config("big", choices="big tiny")))
_SETS_TINY = both(
    instead("set", sets(2, "model", "tiny")), instead("was set", answer(2, configOptions=config("tiny")))
)
_SWAPPED = instead(
    "permission",
    permission(1, "c2", options=[{**OPTIONS[0], "optionId": "no"}, {**OPTIONS[1], "optionId": "yes"}]),
)
_SAYS_IT_TWICE = both(
    drop("found"), put("prompt 3", chunk("Calling a tool.")), put("web", chunk("Calling a tool."))
)


_BESIDE = both(
    put("fetch", *opened("t", configOptions=config()), prompt(20, "t"),
        up("tool_call", "t", toolCallId="c8", kind="execute", title="make"),
        call(21, "session/request_permission", sessionId="t", toolCall={"toolCallId": "c8"}, options=OPTIONS),
        chosen(21, optionId="yes"), up("tool_call_update", "t", toolCallId="c8", status="completed")),
    put("stop 3", up("tool_call", "t", toolCallId="c9", kind="read", title="Read b.txt"),
        up("tool_call_update", "t", toolCallId="c9", status="completed"), stop(20)),
)  # fmt: skip


def _cross(*ids: str) -> Edit:
    """The updates of tool calls name the session `s`."""

    def change(message: Any) -> Any:
        params = message.get("params", {})
        if params.get("update", {}).get("toolCallId") not in ids:
            return message
        return {**message, "params": {**params, "sessionId": "s"}}

    return every(change)


CASES = (
    Case("a command that is not run", drop(*_TERMINAL), ("request-missing: request-missing request-missing",)),
    Case("a command that is not run, and a file that is not read", drop(*_TERMINAL, "fs read", "fs text"),
         ("request-missing: request-missing request-missing", "request-missing")),
    Case("another file is read, and is not there",
         both(instead("fs read", asks(0, "fs/read_text_file", path="/w/b.txt")), instead("fs text", _NOT_THERE)),
         ("request-params: error-instead-of-result",)),
    Case("a file is no longer there", instead("fs text", _NOT_THERE), ("error-instead-of-result",)),
    Case("a terminal that is not released", drop("release", "released"), ("request-missing",)),
    Case("a tool call that is not made, whose command is not run", drop(*_TERMINAL, "web", "web +0", "web end"),
         ("tool-call-missing: request-missing request-missing request-missing",), begin=_SHOWS),
    Case("a tool call that is not made, and asks for no permission", drop(*_EDIT), ("tool-call-missing: permission-missing",)),
    Case("a tool call that is not made, and the permission of another", drop(*_EDIT, "read +0", "read +0 +0"),
         ("permission-missing", "tool-call-missing: permission-missing"),
         begin=both(put("read", permission(9, "c1")), put("read +0", chosen(9, optionId="yes")))),
    Case("no metadata at all", drop("title"), ("title-never-set: metadata-never-set metadata-never-set",), begin=_META),
    Case("two of three metadata", instead("title", up("session_info_update", _meta={"a": 1})),
         ("title-never-set", "metadata-never-set"), begin=_META),
    Case("all messages of a turn, and one of another", drop("thought", "hello 1", "hello 2", "bye", "found"),
         ("message-missing: message-missing message-missing", "message-missing")),
    Case("a permission for another kind of tool", both(_OTHER_KIND, instead("permission", permission(1, "c2"))),
         ("tool-call-kind: permission-option-missing",), begin=_THREE),
    Case("a permission for another kind of tool, without a way to reject",
         both(_OTHER_KIND, instead("permission", permission(1, "c2", options=[OPTIONS[0], _ALWAYS]))),
         ("permission-option-missing", "tool-call-kind"), begin=_THREE),
    Case("another version of the protocol, in which all is another", both(instead("initialized", answer(0, protocolVersion=2)), drop("found")),
         ("protocol-version: " + " ".join(["cancel-outcome", *["capability-lost"] * 3, *["finding-new"] * 18, "info-missing", "message-missing",
                                           *["request-moved"] * 2, *["response-missing"] * 2]),)),
    Case("a choice that is gone, and cannot be set", both(_NOT_SMALL, _STAYS_BIG),
         ("choice-missing: config-final",), begin=_opened("big", "ask", _MODES, "big small tiny")),
    Case("a choice that is gone, and another mode beside it", both(_opened("big", "code", _MODES, "big tiny"), _STAYS_BIG),
         ("choice-missing: config-final", "config-final"), begin=_opened("big", "ask", _MODES, "big small tiny")),
    Case("a mode that is gone, in which the session began", _opened("big", "code", _FEWER, "big small tiny"),
         ("choice-missing: config-final",), begin=_opened("big", "ask", _MODES, "big small tiny")),
    Case("another mode at the start, while all are offered", _opened("big", "code", _MODES, "big small tiny"),
         ("config-final",), begin=_opened("big", "ask", _MODES, "big small tiny")),
    Case("another value that is set", _SETS_TINY, ("request-params: config-final",)),
    Case("another value that is set, and is not what the option has then",
         both(_SETS_TINY, instead("was set", answer(2, configOptions=config("big")))), ("request-params", "config-final")),
    Case("options with the ids of each other, and what the agent makes of the answer",
         both(_SWAPPED, drop("fs write", "fs done", "bye"), instead("edit end", tool("c2", "failed"))),
         ("permission-option-differs: message-missing request-missing tool-call-status",)),
    Case("options with the ids of each other, and what differs before them and in another turn",
         both(_SWAPPED, drop("plan", "fs write", "fs done", "found")),
         ("message-missing", "permission-option-differs: request-missing", "update-missing")),
    Case("a tool call that is not made between two equal texts", drop("web", "web end"), ("tool-call-missing",), begin=_SAYS_IT_TWICE),
    Case("a tool call that is not made, and a permission for it", drop("web", "web end"),
         ("tool-call-missing: request-params",), begin=both(put("web", permission(9, "c3")), put("web +0", chosen(9, optionId="yes")))),
    Case("tool calls that are sent to another session", _cross("c8", "c9"),
         ("session-crossed: request-params tool-call-extra tool-call-missing tool-call-missing update-after-stop",), begin=_BESIDE),
    Case("a tool call that is sent to another session, and another that is gone",
         both(_cross("c8"), lambda named: [one for one in named if "c9" not in str(one)]),
         ("session-crossed: request-params tool-call-extra tool-call-missing", "tool-call-missing"), begin=_BESIDE),
    Case("a session that is not opened, and another that is not loaded",
         both(instead("session", refuse("new s", -32000)), _NOT_LOADED), ("error-instead-of-result", "error-instead-of-result"), begin=_LOADS_OTHER),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_what_follows_stands_below_its_cause(case: Case) -> None:
    """And nothing else: what is only beside it is a cause by itself."""
    begin = case.begin(base())
    found = causes(compared(file(begin), file(case.edit(begin))).failing)
    told = [
        f"{cause.first.code}: {' '.join(below)}".removesuffix(": ")
        for cause in found
        for below in [sorted(each.code for each in cause.consequences)]
    ]
    assert sorted(told) == sorted(case.told), [cause.first.message for cause in found]
