"""The history of a loaded session against the traces before (docs/findings.md, history-differs)."""

from __future__ import annotations

from typing import Any

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.history import between
from acp_trace.analyze.session_over_traces import SessionOverTraces, SessionPart
from tests.analyze.findings.scenario import hello, start
from tests.reading.talk import Said, answer, ask, prompt, stop, up, words
from tests.support import analyzed, facts_of, line, trace


def _call(id_: str, **fields: Any) -> Said:
    return up("tool_call", **{"toolCallId": id_, "title": "Look", "status": "completed", **fields})


def _turns(*ids: str, first: int = 1) -> list[Said]:
    """A turn for each tool call."""
    return [
        one
        for number, id_ in enumerate(ids, first)
        for one in (prompt(number), words(), _call(id_), stop(number))
    ]


def _loaded(*history: Said, then: list[Said] | None = None) -> Facts:
    load = ask(9, "session/load", sessionId="s")
    return facts_of(*hello(), load, *history, answer(9), *(then or []))


_FIRST = facts_of(*start(), *_turns("a", "b"))


def _said(*traces: Facts) -> list[tuple[str, str, str, int]]:
    named = [(f"t{at}", facts) for at, facts in enumerate(traces)]
    return [
        (one.trace_id, one.finding.code, one.finding.severity, one.finding.frame)
        for one in between(named, "s")
    ]


def test_the_same_history_is_right() -> None:
    """And more: a client that was not recorded may have gone on."""
    assert _said(_FIRST, _loaded(_call("a"), _call("b"))) == []
    assert _said(_FIRST, _loaded(_call("0"), _call("a"), _call("b"), _call("c"))) == []
    assert _said(_loaded(_call("a"))) == []


def test_a_tool_call_is_missing() -> None:
    """In each trace that loads the session, of all that came before."""
    again = _loaded(_call("b"), then=_turns("c"))
    found = ("history-differs", "warning", 5)
    assert _said(_FIRST, again, _loaded(_call("a"), _call("b"))) == [("t1", *found), ("t2", *found[:2], 6)]
    (first, _) = between([("t0", _FIRST), ("t1", again), ("t2", again)], "s")
    assert first.finding.message == (
        'the history has 1 of 2 recorded tool calls; the first missing one is "a" #7 of t0'
    )


def test_turns_in_another_order() -> None:
    """Calls of one turn may be told in any order; turns may not, nor traces."""
    parallel = facts_of(*start(), prompt(1), _call("a"), _call("b"), stop(1))
    assert _said(parallel, _loaded(_call("b"), _call("a"))) == []
    assert _said(_FIRST, _loaded(_call("b"), _call("a"))) == [("t1", "history-differs", "warning", 6)]
    second = _loaded(_call("a"), _call("b"), then=_turns("c"))
    late = _loaded(_call("c"), _call("a"), _call("b"))
    assert _said(_FIRST, second, late) == [("t2", "history-differs", "warning", 7)]


def test_other_ids_and_other_names_are_notes() -> None:
    """What kimi-code 1.0 does: each call has another number before its id, and another title."""
    assert _said(_FIRST, _loaded(_call("1:a"), _call("1:b"))) == [("t1", "history-differs", "note", 6)]
    renamed = _loaded(_call("a"), _call("b", title="Read"))
    assert _said(_FIRST, renamed) == [("t1", "history-differs", "note", 6)]
    other_kind = _loaded(_call("a"), _call("b", kind="read"))
    assert _said(_FIRST, other_kind) == [("t1", "history-differs", "note", 6)]


def test_nothing_is_replayed() -> None:
    """Of a session that had turns with output; a client that resumes it asks for nothing."""
    assert _said(_FIRST, _loaded()) == [("t1", "history-missing", "warning", 4)]
    assert _said(facts_of(*start()), _loaded()) == []
    resumed = facts_of(*hello(), ask(9, "session/resume", sessionId="s"), answer(9))
    assert _said(_FIRST, resumed) == []


def test_what_a_trace_may_lack_is_no_fault() -> None:
    """Frames were lost, a session is new under an old id, or the load failed."""
    load = ask(9, "session/load", sessionId="s")
    lost = trace(*hello(), load, _call("a"), end=False) + line(t=9000, gap={"frames": 2, "bytes": 100})
    lost += line(t=9001, **{"from": "agent"}, frame=answer(9)[1])
    assert _said(_FIRST, analyzed(lost)[0]) == [("t1", "history-differs", "note", 5)]
    assert _said(_FIRST, facts_of(*start()), _loaded(_call("c"))) == []
    failed = facts_of(
        *hello(), load, ("agent", {"jsonrpc": "2.0", "id": 9, "error": {"code": -32603, "message": "no"}})
    )
    assert _said(_FIRST, failed) == []


def test_a_session_over_traces_lists_it() -> None:
    """With the findings of the trace that shows it."""
    load = ask(9, "session/load", sessionId="s")
    second = analyzed(trace(*hello(), load, _call("a"), answer(9), id="20261121T130501Z-7f3a9c"))[0]
    parts = tuple(SessionPart(facts, live=False) for facts in (_FIRST, second))
    found = SessionOverTraces("s", parts).findings()
    assert [one.finding.frame for one in found if one.finding.code == "history-differs"] == [5]
