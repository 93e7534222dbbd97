"""`acp-trace ls --sessions`: sessions over all traces, the live ones as well."""

from __future__ import annotations

import json
from typing import Any

from acp_trace.analyze.facts import Session, Turn
from tests import handmade
from tests.handmade import made, stored
from tests.support import Home, agent, request, result, trace


def _stored(home: Home, id: str, *sessions: str, **given: Any) -> None:
    mentions = [made(Session, session_id=one, opened_by="session/new", cwd="/w") for one in sessions]
    turns = [made(Turn, session_id=one) for one in sessions]
    stored(home.store, handmade.trace(id, *mentions, *turns, agent_name="agent", agent_version="1", **given))


def test_one_row_a_session(home: Home) -> None:
    """Newest first, with every trace that names it; `-n` counts sessions."""
    _stored(home, "t1", "a", "b", started_at="2026-11-20T13:00:00Z")
    _stored(home, "t2", "a", started_at="2026-11-20T14:00:00Z")
    rows = home.json("ls", "--sessions")
    assert rows == [
        {
            "session_id": "a",
            "title": None,
            "cwd": "/w",
            "agent": {"name": "agent", "version": "1"},
            "traces": ["t1", "t2"],
            "turns": 2,
            "first_started_at": "2026-11-20T13:00:00Z",
            "last_started_at": "2026-11-20T14:00:00Z",
            "opened_by": ["session/new", "session/new"],
            "live": False,
        },
        {
            "session_id": "b",
            "title": None,
            "cwd": "/w",
            "agent": {"name": "agent", "version": "1"},
            "traces": ["t1"],
            "turns": 1,
            "first_started_at": "2026-11-20T13:00:00Z",
            "last_started_at": "2026-11-20T13:00:00Z",
            "opened_by": ["session/new"],
            "live": False,
        },
    ]
    assert home.json("ls", "--sessions", "-n", "1") == rows[:1]
    assert "… and 1 older one: acp-trace ls --sessions -n 0" in home.run("ls", "--sessions", "-n", "1")
    for width in ("80", "140"):
        lines = home.run("ls", "--sessions", COLUMNS=width).splitlines()
        assert len(lines) == 3
        assert max(map(len, lines)) <= int(width)


def test_nothing_is_no_error(home: Home) -> None:
    """No trace, and a trace without a session: one line on stderr, exit 0."""
    assert home.json("ls", "--sessions") == []
    assert b"there is no trace yet" in home.outcome("ls", "--sessions").stderr
    _stored(home, "t1")
    done = home.outcome("ls", "--sessions")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"no trace has a session\n")
    assert home.json("ls", "--sessions") == []


def test_live_traces_and_the_spool_are_in_it(home: Home) -> None:
    """A session that began in a stored trace goes on in one that is waiting, and in one that is live."""
    _stored(home, "t1", "s", started_at="2026-11-19T13:00:00Z")
    home.spool.mkdir(parents=True)
    hello = [("client", request(0, "initialize")), ("agent", result(0, agentInfo={"name": "agent"}))]
    loaded = [("client", request(1, "session/load", sessionId="s", cwd="/w2")), ("agent", result(1))]
    waiting = "20261120T130501Z-7f3a9c"
    (home.spool / f"{waiting}.jsonl").write_bytes(trace(*hello, *loaded))
    resume = request(1, "session/resume", sessionId="s", cwd="/w3")
    answers = [json.dumps(result(0, agentInfo={"name": "agent"})), json.dumps(result(1))]
    with home.start(
        agent(f"for answer in {answers}: next(lines); say(answer + '\\n')\nnext(lines, None)")
    ) as live:
        for message in (request(0, "initialize"), resume):
            live.say(json.dumps(message).encode() + b"\n")
            live.hear()  # what was heard is in the trace
        (row,) = home.json("ls", "--sessions")
        shown = home.run("ls", "--sessions")
        live.finish()
    assert (row["traces"][:2], len(row["traces"]), row["live"]) == (["t1", waiting], 3, True)
    assert row["opened_by"] == ["session/new", "session/load", "session/resume"]
    assert row["cwd"] == "/w3"
    assert "●" in shown
