"""How bad a finding is, on which side, and what only follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.findings.requirements import NOT_JUDGED, REQUIREMENTS
from acp_trace.analyze.verdict import fail_on, judge
from tests.analyze.findings.scenario import Scenario, start
from tests.analyze.model_side import facts
from tests.reading.talk import (
    Said,
    answer,
    ask,
    call,
    cancel,
    chosen,
    permit,
    prompt,
    refuse,
    reply,
    stop,
    up,
    words,
)  # fmt: skip
from tests.support import analyzed

_CALL = {"toolCallId": "c", "title": "Look"}


def _found(*said: Said, step: int = 1000) -> list[tuple[Any, ...]]:
    scenario = Scenario("", "", list(said), (), raises=False, step=step)
    return [
        (one.code, one.severity, one.blame, one.frame, one.consequence_of)
        for one in analyzed(scenario.file)[0].findings
    ]


def test_what_readers_survive_is_a_warning() -> None:
    """A default in place of a value, a list without an item; what they refuse is an error."""
    said = [
        *start(), prompt(1), up("tool_call", **_CALL, kind="bash", status="completed"),
        up("plan", entries=[{"content": "x", "status": "pending"}]), up("tool_call_update"), stop(1),
    ]  # fmt: skip
    assert [one[:2] for one in _found(*said)] == [
        ("payload-unknown-value", "warning"),
        ("payload-field-missing", "warning"),
        ("payload-field-missing", "error"),
    ]


def test_an_answer_that_crosses_the_cancel() -> None:
    """It came sooner than the agent has ever answered, and nothing came before it: both were under way."""
    slow: list[Said] = [ask(5, "session/list"), words(), words(), words(), answer(5, sessions=[])]
    early = [*start()[:2], *start()[2:3], *slow[1:2], *start()[3:], prompt(1), words(), cancel(), stop(1)]
    code, severity, blame, *_ = next(one for one in _found(*early) if one[0] == "cancel-other-stop-reason")
    assert (code, severity, blame) == (
        "cancel-other-stop-reason",
        "error",
        "agent",
    )  # initialize took as long


def test_a_crossing_is_measured_by_the_fastest_answer() -> None:
    """A frame is 1 µs here: the fastest answer took two, and this one came one after the cancel."""
    hello = start()
    said: list[Said] = [hello[0], ("agent", b""), hello[1], hello[2], ("agent", b""), hello[3]]
    said += [prompt(1), words(), words(), cancel(), stop(1)]
    assert ("cancel-other-stop-reason", "note", "agent", 11, None) in _found(*said)
    later = [*said[:-1], words(), stop(1)]
    assert ("cancel-other-stop-reason", "error", "agent", 12, None) in _found(*later)


def test_a_prompt_that_waited_behind_another() -> None:
    """Whether the cancel was for it, too, is an open question."""
    said = [
        *start(),
        prompt(1),
        prompt(2),
        words(),
        cancel(),
        stop(1, "cancelled"),
        words(),
        words(),
        stop(2),
    ]
    assert _found(*said) == [("cancel-other-stop-reason", "warning", "agent", 12, None)]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ([ask(1, "_x/y"), answer("1")],
         [("never-answered", "note", "agent", 5, 6), ("response-to-nothing", "error", "agent", 6, None)]),
        ([ask(1, "_x/y"), ask(1, "_x/z"), answer(1)],
         [("id-reused", "error", "client", 6, None), ("never-answered", "note", "agent", 6, 6)]),
        ([ask(1, "_x/y"), ("agent", b'{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","method":"_n"}')],
         [("never-answered", "note", "agent", 5, 6), ("not-json", "error", "agent", 6, None)]),
        ([ask(1, "_x/y"), ("agent", b'npm {"jsonrpc":"2.0","id":1,"result":{}}')],
         [("never-answered", "note", "agent", 5, 6), ("not-json", "error", "agent", 6, None)]),
        ([("agent", {"jsonrpc": "2.0", "id": None, "method": "session/update", "params": {
            "sessionId": "s", "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}}})] * 2,
         [("wrong-kind", "error", "agent", 5, None), ("wrong-kind", "error", "agent", 6, None)]),
    ],
)  # fmt: skip
def test_what_follows_is_a_note(said: list[Said], wanted: list[tuple[Any, ...]]) -> None:
    """It names the frame of its cause, and nobody is blamed for the fault of the other side."""
    assert _found(*start(), *said) == wanted


def test_what_follows_is_not_counted() -> None:
    """Neither as a failure nor in the counts, whatever the severity that fails."""
    scenario = Scenario("", "", [*start(), ask(1, "_x/y"), answer("1")], (), raises=False, step=1000)
    found = analyzed(scenario.file)[0]
    (checked,) = judge([("a", found, False)], fail_on(["note"]), []).traces
    assert [(group.code, group.fails) for group in checked.groups] == [("response-to-nothing", True)]
    assert [one.code for one in checked.consequences] == ["never-answered"]


@pytest.mark.parametrize(
    ("said", "blame", "severity"),
    [
        ([words(), stop(1)], "agent", "warning"),
        ([up("tool_call", **_CALL, status="in_progress"),
          up("tool_call_update", toolCallId="c", status="completed"), stop(1)], "agent", "note"),
        ([permit(7), chosen(7, optionId="yes"), stop(1)], "client", "note"),
        ([call(7, "fs/read_text_file", sessionId="s"), reply(7, content=""), stop(1)], "client", "note"),
    ],
)  # fmt: skip
def test_for_whom_a_silent_turn_waits(said: list[Said], blame: str, severity: str) -> None:
    """For the client that owes an answer; else for the agent, which may have a tool under way."""
    first, *rest = said
    timed = [(0, prompt(1)), (1, first), *((40_001 + at, one) for at, one in enumerate(rest))]
    found = facts(*timed, end_ms=50_000)
    stalled = [(one.severity, one.blame, one.frame) for one in found.findings if one.code == "stalled"]
    assert stalled == [(severity, blame, 5)]
    assert (found.turns[0].silence_ns, found.turns[0].silence_frame) == (40_000_000_000, 6)


def test_an_error_after_a_slow_answer_is_no_crossing() -> None:
    """An error that came soon after the cancel, and was sent before it arrived, is a note, too."""
    hello = start()
    said: list[Said] = [hello[0], ("agent", b""), hello[1], hello[2], ("agent", b""), hello[3]]
    assert ("cancel-error", "note", "agent", 10, None) in _found(
        *said, prompt(1), words(), cancel(), refuse(1, -32603)
    )


def test_requirements_are_of_codes() -> None:
    """Each code of the table exists, and what a finding shows is not among what none does."""
    assert REQUIREMENTS.keys() <= CODES.keys()
    shown = {id_ for ids in REQUIREMENTS.values() for id_ in ids}
    assert not shown & NOT_JUDGED.keys()
    assert all(id_.startswith("ACP-") for id_ in (*shown, *NOT_JUDGED))


def test_a_permission_that_a_cancel_leaves_open_is_one_fault() -> None:
    """Of the client, that it owes `cancelled`; that it owes an answer at all follows."""
    found = _found(*start(), prompt(1), up("tool_call", **_CALL), permit(0), cancel(), stop(1, "cancelled"))
    assert [one for one in found if one[2] == "client"] == [
        ("never-answered", "note", "client", 7, 7),
        ("permission-not-cancelled", "error", "client", 7, None),
    ]


def test_an_update_of_a_closed_session_is_one_fault() -> None:
    """Its turns have settled too; if it is opened again, that counts again."""
    turn = [*start(), prompt(1), words(), stop(1)]
    closed = [ask(2, "session/close", sessionId="s"), answer(2)]
    assert [one[0] for one in _found(*turn, *closed, words())] == ["update-unknown-session"]
    again = [ask(3, "session/resume", sessionId="s"), answer(3)]
    assert [one[0] for one in _found(*turn, *closed, *again, words())] == ["update-after-settle"]
