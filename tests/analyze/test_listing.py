"""What `ls` says: a trace in a row, and a session over all its traces."""

from __future__ import annotations

from typing import Any

from acp_trace.analyze.facts import Session, Turn
from acp_trace.analyze.listing import ListedSession, Listing, SessionListing, by_session, of_facts
from tests.handmade import made, trace


def _listing(id: str, *parts: ListedSession, **given: Any) -> Listing:
    name = given.pop("name", "agent")
    return of_facts(
        trace(
            id,
            *(
                made(
                    Session, session_id=one.session_id, title=one.title, cwd=one.cwd, opened_by=one.opened_by
                )
                for one in parts
            ),
            *(made(Turn, session_id=one.session_id, turn=at) for one in parts for at in range(one.turns)),
            agent_name=name,
            **{"started_at": f"2026-11-20T1{id[-1]}:00:00Z", **given},
        ),
        live=id.startswith("live"),
    )


def test_a_trace_names_its_sessions() -> None:
    """In the order of first mention, each with its turns."""
    parts = ListedSession("b", "B", 2, "/b", "session/new"), ListedSession("a", None, 0, None, "unknown")
    row = _listing("t1", *parts)
    assert row.sessions == parts
    assert (row.turns, row.state) == (2, "complete")


def test_a_list_of_them_can_be_read() -> None:
    """In a notebook: what tells one trace from another, and not the 40 facts of each."""
    shown = repr(_listing("t1", ListedSession("b", "B", 2, "/b", "session/new")))
    assert shown.startswith("Listing(id='t1', state='complete', agent=('agent', None), ")
    assert "turns=2" in shown
    assert len(shown) < 250


def test_a_session_goes_on_in_other_traces() -> None:
    """Its turns are summed; title, folder and version are the latest that were said."""
    rows = [
        _listing("live3", ListedSession("s", None, 1, None, "session/load"), agent_version="2"),
        _listing("t2", ListedSession("s", "Second", 2, "/w", "session/resume"), agent_version="1"),
        _listing("t1", ListedSession("s", "First", 4, "/old", "session/new"), agent_version="1"),
    ]
    assert by_session(rows) == [
        SessionListing(
            session_id="s",
            title="Second",
            cwd="/w",
            agent=("agent", "2"),
            argv=(),
            traces=("t1", "t2", "live3"),
            turns=7,
            first_started_at="2026-11-20T11:00:00Z",
            last_started_at="2026-11-20T13:00:00Z",
            opened_by=("session/new", "session/resume", "session/load"),
            live=True,
        )
    ]


def test_the_newest_session_is_the_first() -> None:
    """By the last trace that names it, not by the first."""
    rows = [
        _listing("t3", ListedSession("old", None, 0, None, "session/load")),
        _listing(
            "t2",
            ListedSession("new", None, 0, None, "session/new"),
            ListedSession("newer", None, 0, None, "session/new"),
        ),
        _listing("t1", ListedSession("old", None, 0, None, "session/new")),
    ]
    assert [one.session_id for one in by_session(rows)] == ["old", "new", "newer"]


def test_two_agents_may_use_the_same_id() -> None:
    """`1` of one agent is not `1` of another; agents without a name are told apart by their commands."""
    part = ListedSession("1", None, 1, None, "session/new")
    rows = [
        _listing("t5", part, name="x"),
        _listing("t4", part, name="y"),
        _listing("t3", part, name="x"),
        _listing("t2", part, name=None, agent_argv='["a"]'),
        _listing("t1", part, name=None, agent_argv='["b"]'),
    ]
    assert [one.traces for one in by_session(rows)] == [("t3", "t5"), ("t4",), ("t2",), ("t1",)]


def test_no_sessions() -> None:
    """Nothing comes of nothing."""
    assert by_session([]) == []
    assert by_session([_listing("t1")]) == []
