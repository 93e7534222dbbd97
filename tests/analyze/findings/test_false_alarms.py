"""Alarms that were false once, or said twice: each conversation with exactly the codes that it deserves."""

from __future__ import annotations

import pytest

from acp_trace.analyze.timestamps import moment
from acp_trace.report.selection import select
from acp_trace.trace.encode import gap
from tests.analyze.findings.scenario import Found, Scenario, found_in, hello, start
from tests.analyze.findings.scenarios_cancellation import _DRAFT, _PROMPTED, _drop, _idle
from tests.analyze.findings.scenarios_configuration import _BOTH, _FAST, _LEGACY, _listed, _mode, _set, _told
from tests.analyze.findings.scenarios_metadata import _info, _list, _row
from tests.reading.talk import (
    Said,
    answer,
    ask,
    call,
    cancel,
    decline,
    opened,
    prompt,
    refuse,
    stop,
    tell,
    up,
    words,
)
from tests.support import END, analyzed, facts_of, header, line, trace

_BUTTON = {"id": "x", "name": "X", "type": "_button"}
_NAMELESS = {"id": "x", "type": "select", "currentValue": "a", "options": [{"value": "a", "name": "A"}]}
_BOTH_AT_ONCE = {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}, "error": None}


def _found(*said: Said) -> list[Found]:
    return found_in(Scenario("", "", list(said), (), False, 1000))


_CODES: dict[str, tuple[list[Said], list[str]]] = {
    "session/delete opens no session": (
        [*hello(), ask(1, "session/delete", sessionId="s"), answer(1), prompt(2), stop(2)],
        ["unknown-session"],
    ),
    "session/delete does not open one again": (
        [
            *start(), ask(1, "session/close", sessionId="s"), answer(1),
            ask(2, "session/delete", sessionId="s"), answer(2), prompt(3), stop(3),
        ],
        ["unknown-session"],
    ),
    "what session/close cancelled has not leaked": (
        [
            *_PROMPTED, stop(1), cancel(), prompt(2), ask(3, "session/close", sessionId="s"),
            stop(2, "cancelled"), answer(3),
        ],
        [],
    ),
    "-32600 answers a notification without a version": (
        [*hello(), ("client", {"method": "session/cancel"}), refuse(None, -32600)],
        ["not-jsonrpc"],
    ),
    "noise is answered though null was an id": (
        [*hello(), ask(None, "_x/y"), answer(None), ("client", b"{"), refuse(None, -32700)],
        ["not-json"],
    ),
    "draft 2: a prompt not yet inserted is answered -32800": (
        [
            *start(2), prompt(1), answer(1, messageId="m"), prompt(2), cancel(), refuse(2, -32800),
            _idle(stopReason="cancelled"),
        ],
        [],
    ),
    "draft 2: the response of a prompt is its insertion": (
        [*start(2), prompt(1), _drop(1), answer(1, messageId="m"), words(), _idle(stopReason="end_turn")],
        [],
    ),
    "draft 2: an end that does not say why": ([*_DRAFT, cancel(), _idle()], ["stop-reason-unknown"]),
    "an option of unknown type needs no value": (start(configOptions=[_BUTTON]), []),
    "an option without a name is skipped by readers": (
        start(configOptions=[_NAMELESS]),
        ["option-malformed"],
    ),
    "booleans in a set response of a session not opened here": (
        [*hello(), _set(True, "fast"), _listed(_FAST)],
        ["unknown-session"],
    ),
    "an extension before a version is agreed on": (
        [ask("i", "initialize", protocolVersion=2), *opened(), up("_x"), answer("i", protocolVersion=2)],
        [],
    ),
    "two cancels and one end": ([*_PROMPTED, cancel(), cancel(), stop(1)], ["cancel-other-stop-reason"]),
    "both kinds of cancel and one error": (
        [*_PROMPTED, cancel(), _drop(1), refuse(1, -32603)],
        ["cancel-error"],
    ),
    "an initialize of the agent says nothing of the client": (
        [*start(), call(1, "initialize", protocolVersion=1), decline(1, -32601), up("notice")],
        ["wrong-side"],
    ),
    "a result beside a null error is a result": (
        [*hello(), ask(1, "session/new"), ("agent", _BOTH_AT_ONCE), prompt(2), stop(2)],
        ["not-jsonrpc"],
    ),
    "replayed history brings old times": (
        [
            *start(), _info(updatedAt="2026-11-20T12:00:00Z"), ask(2, "session/load", sessionId="s"),
            _info(updatedAt="2026-11-20T11:00:00Z"), answer(2),
        ],
        [],
    ),
    "replayed history comes at once": (
        [*hello(), ask(2, "session/load", sessionId="s"), *[_info()] * 51, answer(2)],
        [],
    ),
    "session/list knows of later activity": (
        [
            *start(), _info(updatedAt="2026-11-20T12:00:00Z"), prompt(2), stop(2),
            *_list(_row(updatedAt="2026-11-20T13:00:00Z")),
        ],
        [],
    ),
    "a tool call from before a resume": (
        [
            *hello(), ask(1, "session/resume", sessionId="s"), answer(1),
            up("tool_call_update", toolCallId="c", status="completed"),
        ],
        [],
    ),
    "unknown updates are counted": ([*start(), *[up("nonsense")] * 50], ["unknown-update"]),
}  # fmt: skip


@pytest.mark.parametrize("name", _CODES)
def test_codes(name: str) -> None:
    """Exactly these."""
    said, codes = _CODES[name]
    assert [one.code for one in _found(*said)] == codes


def test_ids_that_are_no_ids_cannot_be_answered_by_them() -> None:
    """An error with id null answers a request whose id is `true`."""
    codes = [one.code for one in _found(*hello(), ask(True, "_x/y"), refuse(None, -32600))]
    assert "response-to-nothing" not in codes


def test_the_proxys_initialize_initializes() -> None:
    """The Rust SDK 2.0.0 puts `_proxy/initialize` on the wire."""
    said = [ask(1, "_proxy/initialize", protocolVersion=1), answer(1, protocolVersion=1), *opened()]
    assert "before-initialize" not in [one.code for one in _found(*said)]


def test_modes_that_disagree_again_are_said_again() -> None:
    """Also in the same words, after they had agreed."""
    said = [
        *_BOTH,
        _LEGACY,
        prompt(1),
        stop(1),
        _told(_mode("code")),
        prompt(2),
        stop(2),
        _told(_mode("ask")),
    ]
    assert [one.frame for one in _found(*said) if one.code == "modes-disagree"] == [5, 11]


def test_early_updates_are_not_counted_with_wrong_ones() -> None:
    """One before the request, which is wrong, and one before its response, which is early."""
    said = [*hello(), words(), ask(1, "session/new"), words(), answer(1, sessionId="s")]
    early = Found("update-before-session", "agent", 5, "s")
    assert _found(*said) == [Found("update-unknown-session", "agent", 3, "s"), early]


def test_facts_are_in_the_order_of_their_frames() -> None:
    """Not session by session; and tool calls have frames, so that a selection can leave them out."""
    found = facts_of(*start(), *opened("t"), prompt(1), stop(1), prompt(2, "t"), stop(2), prompt(3), stop(3))
    assert [one.frame for one in found.turns] == [7, 9, 11]
    calls = facts_of(*start(), prompt(1), up("tool_call", toolCallId="c"), stop(1))
    assert [one.frame for one in calls.tool_calls] == [6]
    assert select(calls, since_frame=100).tool_calls == []


def test_ids_in_messages_are_spelled_as_they_were() -> None:
    """They are JSON text already."""
    once, twice = answer(1), ask(1, "_x")
    second = analyzed(trace(*hello(), twice, once, once))[0].findings
    reused = analyzed(trace(*hello(), twice, twice, once, once))[0].findings
    assert [one.message for one in second] == ["a second response to id 1, request #3"]
    assert [one.message for one in reused] == ["id 1 belongs to request #3, which is still open"]


def test_what_is_missing_may_be_missing_from_the_trace() -> None:
    """After a line that cannot be read, or a gap, what rests on an absence is a note."""
    damaged = (
        trace(tell("client", "_x"), ask(0, "initialize"), end=False) + b"{damaged\n" + line(t=9, end=END)
    )
    found = {one.code: one.severity for one in analyzed(damaged)[0].findings}
    assert found["never-answered"] == "note"
    told = [*hello(), ask(1, "_x/y")]
    lines = [
        header(),
        *(line(t=n, **{"from": side}, frame=message) for n, (side, message) in enumerate(told)),
    ]
    lines += [gap(4, 1, 1, "full"), line(t=5, **{"from": "client"}, frame=ask(1, "_x/y")[1])]
    lines += [line(t=6, **{"from": "agent"}, frame=answer(1)[1]), line(t=7, end=END)]
    found = {one.code: one.severity for one in analyzed(b"".join(lines))[0].findings}
    assert found["id-reused"] == "note"


def test_offsets_have_sixty_minutes_and_no_more() -> None:
    """RFC 3339, section 5.6: time-minute is 00 to 59 in the offset as well."""
    assert moment("2026-01-01T00:00:00+00:60") is None
