"""Figures over many traces, by agent, version, client or method, from the tables of facts alone.

Nothing here reads `frames`: a store of ten million frames has some ten thousand turns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_trace.analyze.facts import Trace
from acp_trace.analyze.latency import Latency
from acp_trace.analyze.listing import command_name
from acp_trace.analyze.stats import By, Cancels, ModelStats, NumberSpread, Spread, Stats, StatsInput
from acp_trace.store import read
from acp_trace.store.connect import reading
from acp_trace.store.latency_sql import LATENCY, nearest_rank
from acp_trace.store.read import Opener, decoded
from acp_trace.store.wanted import TraceFilter

if TYPE_CHECKING:
    import duckdb

#: What a row can be about.
KINDS: tuple[By, ...] = ("agent", "agent_version", "client")


class _Name(NamedTuple):
    """What a row is called."""

    name: str | None
    version: str | None
    command: str | None


def stats(store: Path | Opener, by: By, wanted: TraceFilter) -> list[Stats]:
    """One row a name (and version), in their order; none if no trace is wanted. Raises StoreError."""
    with _opened(store) as connection:
        traces = [*filter(wanted.wants, read.traces(connection))]
        picked, titles = _picked(traces, by), _titles(traces, by)
        names = list(dict.fromkeys(row for _, row in picked))
        groups = {row: group for group, row in enumerate(names)}
        values = [[trace_id for trace_id, _ in picked], [groups[row] for _, row in picked]]
        rows = connection.execute(_STATS, values).fetchall()
        findings = _found(connection, values)
    made = [
        replace(_stats(row, names[group], findings.get(group, [])), title=titles.get(names[group].name))
        for group, *row in rows
    ]
    return sorted(made, key=_order)


def methods(store: Path | Opener, wanted: TraceFilter) -> list[Latency]:
    """One row for each sender and method over all wanted traces, by sender and method. Raises StoreError."""
    sql = f"{_PICKED} SELECT {LATENCY} FROM picked JOIN exchanges USING (trace_id) GROUP BY sender, method"
    with _opened(store) as connection:
        ids = [trace_id for trace_id, _ in _picked(filter(wanted.wants, read.traces(connection)), "agent")]
        rows = connection.execute(f"{sql} ORDER BY sender DESC, method", [ids, [0] * len(ids)]).fetchall()
    return [Latency(*row) for row in rows]


def count(store: Path | Opener, wanted: TraceFilter) -> int:
    """How many traces are wanted. Raises StoreError."""
    with _opened(store) as connection:
        return sum(map(wanted.wants, read.traces(connection)))


def _opened(store: Path | Opener) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    """The store, or other tables with the same names and columns."""
    return reading(store) if isinstance(store, Path) else store()


def _picked(traces: Iterable[Trace], by: By) -> list[tuple[str, _Name]]:
    """These traces, each with its row. An agent that never said its name goes by its command."""
    picked = []
    for trace in traces:
        if by == "client":
            name = _Name(trace.client_name, None, None)
        else:
            version = trace.agent_version if by == "agent_version" else None
            command = command_name(decoded(trace.agent_argv, list[str]) or ())
            name = _Name(trace.agent_name, version, command if trace.agent_name is None else None)
        picked.append((trace.id, name))
    return picked


def _titles(traces: Iterable[Trace], by: By) -> dict[str | None, str]:
    """The title that people see for each name: the latest one, unless another name has it too."""
    pairs = {}
    for trace in sorted(traces, key=lambda trace: trace.started_at or ""):
        name, title = (
            (trace.client_name, trace.client_title)
            if by == "client"
            else (trace.agent_name, trace.agent_title)
        )
        if name is not None and title is not None:
            pairs[name] = title
    counted = Counter(pairs.values())
    return {name: title for name, title in pairs.items() if counted[title] == 1}


def _order(row: Stats) -> tuple[Any, ...]:
    return (row.name is None, _natural(row.name), _natural(row.version), _natural(row.command))


def _spread(expression: str) -> str:
    """The SQL of a `Spread`, as a struct."""
    p50, p95 = (nearest_rank(expression, percent) for percent in (50, 95))
    ends = f"n := count({expression}), max_ns := max({expression})"
    return f"struct_pack({ends}, p50_ns := {p50}, p95_ns := {p95})"


def _counts(expression: str) -> str:
    """The SQL of `NumberSpread`, as a struct."""
    p50, p95 = (nearest_rank(expression, percent) for percent in (50, 95))
    return f"struct_pack(n := count({expression}), p50 := {p50}, p95 := {p95}, max := max({expression}))"


#: The parts of a turn's time that are known where the model's side is recorded.
_PARTS = ("model", "tool", "client", "own")
_TURN_PARTS = ", ".join(f"{_spread(f'{part}_ns')} AS turn_{part}" for part in _PARTS)
_CALLS = """calls := count(*), failed := count(error), aborted := count(*) FILTER (aborted),
    retries := count(retry_of), input_tokens := sum(input_tokens_total)::BIGINT,
    cached_tokens := sum(cached_tokens)::BIGINT, output_tokens := sum(output_tokens_total)::BIGINT"""

#: A turn that ended cancelled without a cancel, or a cancel that found no request, has nothing to measure.
_SETTLE = "CASE WHEN kind <> 'internal' AND target_frame IS NOT NULL THEN settle_ns END"
_OUTCOMES = ("cancelled", "completed", "error", "unanswered", "no_target")
_CANCELS = ", ".join(
    f"{one} := count(*) FILTER (kind <> 'internal' AND outcome = '{one}')" for one in _OUTCOMES
)

#: The traces that count, each with the number `g` of its row.
_PICKED = "WITH picked AS (SELECT unnest(?::VARCHAR[]) AS trace_id, unnest(?::INTEGER[]) AS g)"

_STATS = f"""
{_PICKED},
of_traces AS (SELECT g, count(*) AS traces, count(error) AS failed_starts
    FROM picked JOIN traces USING (trace_id) GROUP BY g),
of_sessions AS (SELECT g, count(DISTINCT (agent_name, session_id)) AS sessions
    FROM picked JOIN traces USING (trace_id) JOIN sessions USING (trace_id) GROUP BY g),
of_turns AS (SELECT g, count(*) AS turns, {_spread("duration_ns")} AS turn,
    {_spread("first_output_ns")} AS first_output, {_counts("model_calls")} AS turn_calls, {_TURN_PARTS}
    FROM picked JOIN turns USING (trace_id) GROUP BY g),
of_cancels AS (SELECT g, {_spread(_SETTLE)} AS settle,
    struct_pack({_CANCELS}, internal := count(*) FILTER (kind = 'internal')) AS cancels
    FROM picked JOIN cancellations USING (trace_id) GROUP BY g),
of_calls AS (SELECT g, struct_pack({_CALLS}) AS calls, {_spread("first_token_ns")} AS first_token
    FROM picked JOIN model_calls USING (trace_id) GROUP BY g)
SELECT g, traces, failed_starts, sessions, turns, turn, first_output, settle, cancels,
    calls, first_token, turn_calls, turn_model, turn_tool, turn_client, turn_own
FROM of_traces LEFT JOIN of_sessions USING (g) LEFT JOIN of_turns USING (g) LEFT JOIN of_cancels USING (g)
LEFT JOIN of_calls USING (g)
"""

_FOUND = f"""
{_PICKED} SELECT g, code, severity, blame, count(*) FROM picked JOIN findings USING (trace_id)
GROUP BY ALL ORDER BY count(*) DESC, code, blame
"""


def _stats(row: list[Any], name: _Name, findings: list[StatsInput]) -> Stats:
    """A row of `_STATS`; NULL if nothing was joined."""
    traces, failed_starts, sessions, turns, *spreads, cancels = row[:8]
    turn, first_output, settle = (Spread(**spread) if spread else Spread() for spread in spreads)
    return Stats(
        name=name.name,
        version=name.version,
        traces=traces,
        sessions=sessions or 0,
        turns=turns or 0,
        turn=turn,
        first_output=first_output,
        settle=settle,
        cancels=Cancels(**cancels) if cancels else Cancels(),
        findings=findings,
        command=name.command,
        failed_starts=failed_starts,
        model=_model(*row[8:]),
    )


def _model(calls: Any, first_token: Any, turn_calls: Any, *parts: Any) -> ModelStats:
    """The end of a row of `_STATS`; NULL if nothing was joined."""
    model, tool, client, own = (Spread(**(spread or {})) for spread in parts)
    return ModelStats(
        **(calls or {}),
        first_token=Spread(**(first_token or {})),
        turn_calls=NumberSpread(**(turn_calls or {})),
        turn_model=model,
        turn_tool=tool,
        turn_client=client,
        turn_own=own,
    )


def _found(connection: duckdb.DuckDBPyConnection, values: list[Any]) -> dict[int, list[StatsInput]]:
    """The findings of each row, by its number."""
    findings: dict[int, list[StatsInput]] = {}
    for group, *row in connection.execute(_FOUND, values).fetchall():
        findings.setdefault(group, []).append(StatsInput(*row))
    return findings


def _natural(text: str | None) -> list[tuple[int, str]]:
    """The order of names and versions as people see it: 1.9 before 1.10. Digits compare by length first."""
    parts = re.split(r"(\d+)", (text or "").casefold())
    return [(len(part.lstrip("0")), part) if at % 2 else (0, part) for at, part in enumerate(parts)]
