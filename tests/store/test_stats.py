"""Figures over many traces: reckoned in SQL, from the tables of facts alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from acp_trace.analyze.facts import Cancellation, Finding, ModelCall, Session, Turn
from acp_trace.analyze.latency import latencies
from acp_trace.analyze.stats import By, Cancels, ModelStats, NumberSpread, Spread, Stats, StatsInput
from acp_trace.report.text.stats import as_json, report
from acp_trace.store.connect import writing
from acp_trace.store.load import load
from acp_trace.store.stats import KINDS, methods, stats
from acp_trace.store.wanted import TraceFilter
from tests.handmade import exchange, made, stored, trace
from tests.support import SAMPLES, TRACES, Home, analyzed


def _turns(*times: tuple[int | None, int | None], session: str = "s") -> list[Turn]:
    return [
        made(Turn, session_id=session, turn=at, duration_ns=took, first_output_ns=first)
        for at, (took, first) in enumerate(times)
    ]


def _cancel(outcome: str, settle_ns: int | None = None, kind: str = "session/cancel") -> Cancellation:
    target = None if outcome == "no_target" else 3
    return made(Cancellation, kind=kind, outcome=outcome, settle_ns=settle_ns, target_frame=target)


def _finding(code: str, severity: str, blame: str = "agent", **given: Any) -> Finding:
    return made(Finding, code=code, severity=severity, blame=blame, **{"count": 1, **given})


def _names(rows: list[Stats]) -> list[tuple[str | None, str | None]]:
    return [(one.name, one.version) for one in rows]


def test_a_row_holds_all_figures(home: Home) -> None:
    """Traces, sessions, turns, three spreads, outcomes, findings: over two traces of one version."""
    stored(
        home.store,
        trace(
            "t1",
            made(Session, session_id="a"), made(Session, session_id="b"),
            *_turns((30, 3), (10, None), (None, 1)),
            _cancel("cancelled", 5), _cancel("completed", 900), _cancel("no_target"),
            _finding("not-json", "error"), _finding("not-json", "error"), _finding("blank-line", "note", count=50),
            agent_name="x", agent_version="1", client_name="c",
        ),
        trace(
            "t2",
            made(Session, session_id="b"),
            *_turns((20, 2)),
            _cancel("error", 7), _cancel("unanswered"), _cancel("cancelled", 0, kind="internal"),
            _finding("unknown-method", "error", "client"),
            agent_name="x", agent_version="1", client_name="c",
        ),
    )  # fmt: skip
    (row,) = stats(home.store, "agent_version", TraceFilter())
    assert row == Stats(
        "x",
        "1",
        traces=2,
        sessions=2,
        turns=4,
        turn=Spread(3, 20, 30, 30),
        first_output=Spread(3, 2, 3, 3),
        settle=Spread(3, 7, 900, 900),
        cancels=Cancels(cancelled=1, completed=1, error=1, unanswered=1, no_target=1, internal=1),
        findings=[
            StatsInput("not-json", "error", "agent", 2),
            StatsInput("blank-line", "note", "agent", 1),
            StatsInput("unknown-method", "error", "client", 1),
        ],
    )
    assert row.cancels.aimed == 4
    assert (row.severity("error", "agent"), row.severity("error", "client")) == (2, 1)


def test_the_models_side_of_a_row(home: Home) -> None:
    """Calls, whether a turn has them or not, and the parts of the turns that have it recorded."""

    def turn(at: int, model: int, own: int, calls: int) -> Turn:
        parts = {"model_ns": model, "tool_ns": 0, "client_ns": 5, "own_ns": own}
        return made(Turn, session_id="s", turn=at, model_calls=calls, **parts)

    def call(number: int, tokens: tuple[int, int, int] | None = None, **given: Any) -> ModelCall:
        names = ("input_tokens_total", "cached_tokens", "output_tokens_total")
        counted = dict(zip(names, tokens or (), strict=False))
        return made(ModelCall, call=number, **{"tools": "[]", **counted, **given})

    stored(
        home.store,
        trace(
            "t1",
            turn(0, 30, 3, 2), turn(1, 10, 1, 1), made(Turn, session_id="s", turn=2, model_calls=1),
            call(1, (100, 60, 7), first_token_ns=4), call(2, error="Slow down"), call(3, (10, 0, 1), retry_of=2),
            call(4, aborted=True),
            agent_name="x",
        ),
        trace("t2", *_turns((20, 2)), agent_name="x"),
        trace("t3", *_turns((20, 2)), agent_name="y"),
    )  # fmt: skip
    with_model, without = (row.model for row in stats(home.store, "agent", TraceFilter()))
    assert with_model == ModelStats(
        calls=4,
        failed=1,
        aborted=1,
        retries=1,
        input_tokens=110,
        cached_tokens=60,
        output_tokens=8,
        first_token=Spread(1, 4, 4, 4),
        turn_calls=NumberSpread(3, 1, 2, 2),
        turn_model=Spread(2, 10, 30, 30),
        turn_tool=Spread(2, 0, 0, 0),
        turn_client=Spread(2, 5, 5, 5),
        turn_own=Spread(2, 1, 3, 3),
    )
    assert without == ModelStats()


def test_rows_by_agent_version_and_client(home: Home) -> None:
    """Versions in the order of their numbers; without a name last; nothing is mixed up."""
    given: list[tuple[str | None, str | None, str | None]] = [
        ("x", "1.10.0", "c"), ("x", "1.9.0", "d"), ("x", None, "c"), (None, None, None), ("B", "1", "c"), (None, "7", "d"),
    ]  # fmt: skip
    traces = [
        trace(f"t{at}", *_turns((at, at)), agent_name=name, agent_version=version, client_name=client)
        for at, (name, version, client) in enumerate(given)
    ]
    stored(home.store, *traces)
    rows = stats(home.store, "agent_version", TraceFilter())
    assert _names(rows) == [
        ("B", "1"),
        ("x", None),
        ("x", "1.9.0"),
        ("x", "1.10.0"),
        (None, None),
        (None, "7"),
    ]
    assert [one.turn.max_ns for one in rows] == [4, 2, 1, 0, 3, 5]
    assert [(one.name, one.version, one.traces) for one in stats(home.store, "agent", TraceFilter())] == [
        ("B", None, 1),
        ("x", None, 3),
        (None, None, 2),
    ]
    by_client = stats(home.store, "client", TraceFilter())
    assert [(one.name, one.version, one.turns) for one in by_client] == [
        ("c", None, 3),
        ("d", None, 2),
        (None, None, 1),
    ]


def test_the_same_id_of_two_agents_is_two_sessions(home: Home) -> None:
    """And of one agent one session, in however many traces."""
    session = made(Session, session_id="1")
    traces = [trace(f"t{at}", session, agent_name=name, client_name="c") for at, name in enumerate("xxy")]
    stored(home.store, *traces)
    (row,) = stats(home.store, "client", TraceFilter())
    assert (row.traces, row.sessions) == (3, 2)


def test_a_trace_without_any_fact_is_a_row(home: Home) -> None:
    """Nothing was measured, and nothing is invented."""
    stored(home.store, trace("t", agent_name="x"))
    assert stats(home.store, "agent", TraceFilter()) == [
        Stats("x", None, 1, 0, 0, Spread(), Spread(), Spread(), Cancels(), [])
    ]


def test_methods(home: Home) -> None:
    """Percentiles over the exchanges of all traces, those of the client first."""
    stored(
        home.store,
        trace("t1", exchange("a", 10), exchange("a", None), exchange("b", 5, "agent"), agent_name="x"),
        trace("t2", exchange("a", 30, outcome="error"), exchange("a", 20), agent_name="y"),
    )
    rows = methods(home.store, TraceFilter())
    found = [
        (one.sender, one.method, one.count, one.open, one.errors, one.p50_ns, one.p95_ns, one.max_ns)
        for one in rows
    ]
    assert found == [("client", "a", 4, 1, 1, 20, 30, 30), ("agent", "b", 1, 0, 0, 5, 5, 5)]
    assert [one.count for one in methods(home.store, TraceFilter("x"))] == [2, 1]


def test_nothing_at_all(home: Home) -> None:
    """An empty store has no rows."""
    assert stats(home.store, "agent_version", TraceFilter()) == []
    assert methods(home.store, TraceFilter()) == []


@pytest.mark.slow
def test_frames_are_never_read(home: Home) -> None:
    """Most of a store is frames: the figures are the same without that table."""
    with writing(home.store) as connection:
        for path in SAMPLES:
            load(connection, Path(path))
    before = [stats(home.store, by, TraceFilter()) for by in KINDS], methods(home.store, TraceFilter())
    with writing(home.store) as connection:
        connection.execute("DROP TABLE frames")
    assert (
        [stats(home.store, by, TraceFilter()) for by in KINDS],
        methods(home.store, TraceFilter()),
    ) == before


@pytest.mark.slow
def test_real_traces_have_the_reports_figures(home: Home) -> None:
    """What `show` says of one trace is what `stats` says of it; of their exchanges, all at once."""
    read = [analyzed(Path(path).read_bytes())[0] for path in TRACES]
    every = [replace(one, trace=replace(one.trace, agent_name=f"agent of {one.trace.id}")) for one in read]
    stored(home.store, *every)
    rows = {row.name: row for row in stats(home.store, "agent", TraceFilter())}
    assert len(rows) == len(every)
    for facts in every:
        row = rows[facts.trace.agent_name]
        took = [one.duration_ns for one in facts.turns if one.duration_ns is not None]
        assert (row.turn.n, row.turn.max_ns) == (len(took), max(took, default=None))
        assert sum(one.count for one in row.findings) == len(facts.findings)
        assert row.cancels.aimed + row.cancels.no_target + row.cancels.internal == len(facts.cancellations)
        assert row.sessions == len(facts.sessions)
    exchanges = [exchange for facts in every for exchange in facts.exchanges]
    assert methods(home.store, TraceFilter()) == sorted(
        latencies(exchanges), key=lambda latency: (latency.sender != "client", latency.method)
    )


def test_every_kind_of_row_has_its_names() -> None:
    """What the type allows is what the SQL knows."""
    assert set(KINDS) == set(get_args(By))


def test_an_agent_without_a_name_goes_by_its_command(home: Home) -> None:
    """A start that failed had no time to say its name; two commands are two rows, and `?` finds both."""
    argv = {"t1": '["npx","my-agent","--acp"]', "t2": '["/opt/my-agent"]', "t3": '["other"]'}
    failed = [trace(id_, agent_argv=text, exit_code=127, error="no such file") for id_, text in argv.items()]
    stored(home.store, *failed, trace("t4", agent_argv='["my-agent"]', agent_name="Named"))
    rows = stats(home.store, "agent_version", TraceFilter())
    assert [(one.name, one.command, one.traces) for one in rows] == [
        ("Named", None, 1),
        (None, "my-agent", 2),
        (None, "other", 1),
    ]
    assert [one["command"] for one in as_json(rows, "agent_version")] == [None, "my-agent", "other"]
    assert "\nmy-agent" in report(rows, "agent_version", 80).plain
    for agent, found in (("my-*", ["my-agent"]), ("?", ["my-agent", "other"]), ("Other", ["other"])):
        assert [one.command for one in stats(home.store, "agent", TraceFilter(agent))] == found
