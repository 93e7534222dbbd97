"""Figures over many traces, by agent, version, client or method, from the tables of facts alone.

Nothing here reads `frames`: a store of ten million frames has some ten thousand turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from acp_trace.analyze.latency import Latency
from acp_trace.analyze.stats import By, Cancels, Found, Spread, Stats
from acp_trace.store.connect import reading
from acp_trace.store.percentiles import LATENCY, nearest_rank
from acp_trace.store.remove import BadAge, age

#: What names a row: the expressions for its name and its version.
_NAMES: dict[By, tuple[str, str]] = {
    "agent": ("agent_name", "NULL::VARCHAR"),
    "agent_version": ("agent_name", "agent_version"),
    "client": ("client_name", "NULL::VARCHAR"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which traces count. `agent` is a name or a GLOB, in any case; `since` is when they began at the earliest."""

    agent: str | None = None
    since: datetime | None = None


def since(text: str, now: datetime) -> datetime:
    """`30d`, `12h` … before `now`, or a date or time, local where it names no zone. Raises BadAge."""
    try:
        return now - age(text)
    except BadAge:
        pass
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)
    try:
        found = datetime.fromisoformat(text.strip())
        return found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError, OSError):
        raise BadAge(f"{text!r} is no age and no date: write 12h, 30d, 2w or 2026-11-20") from None


def stats(store: Path, by: By, wanted: Wanted) -> list[Stats]:
    """One row a name (and version), in their order; none where no trace is wanted. Raises StoreError."""
    name, version = _NAMES[by]
    picked, values = _picked(wanted, f"{name} AS name, {version} AS version")
    with reading(store) as connection:
        rows = connection.execute(_STATS.format(picked=picked), values).fetchall()
        found = _found(connection, picked, values)
    made = [_stats(row, found.get(row[0], ())) for row in rows]
    return sorted(made, key=lambda one: (one.name is None, _natural(one.name), _natural(one.version)))


def methods(store: Path, wanted: Wanted) -> list[Latency]:
    """One row for each sender and method over all wanted traces, by sender and method. Raises StoreError."""
    picked, values = _picked(wanted, "NULL AS name, NULL AS version")
    sql = f"{picked} SELECT {LATENCY} FROM picked JOIN exchanges USING (trace_id) GROUP BY sender, method"
    with reading(store) as connection:
        rows = connection.execute(f"{sql} ORDER BY sender DESC, method", values).fetchall()
    return [Latency(*row) for row in rows]


def _picked(wanted: Wanted, names: str) -> tuple[str, list[Any]]:
    """The SQL that begins with the wanted traces, each with the number `g` of its row, and its values."""
    where: list[str] = []
    values: list[Any] = []
    if wanted.agent is not None:
        where.append("(lower(coalesce(agent_name, '?')) = lower(?) OR lower(coalesce(agent_name, '?')) GLOB lower(?))")
        values += [wanted.agent] * 2
    if wanted.since is not None:
        where.append("epoch_us(TRY_CAST(started_at AS TIMESTAMPTZ)) >= ?")
        values.append(_epoch_us(wanted.since))
    condition = f"WHERE {' AND '.join(where)}" if where else ""
    picked = f"SELECT trace_id, {names}, dense_rank() OVER (ORDER BY name, version) AS g FROM traces {condition}"
    return f"WITH picked AS ({picked})", values


def _epoch_us(moment: datetime) -> int:
    # Not `timestamp()`: that is a float, and knows no years before 1970 on every platform.
    since_epoch = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since_epoch.days * 86_400 + since_epoch.seconds) * 1_000_000 + since_epoch.microseconds


def _spread(expression: str) -> str:
    percentiles = ", ".join(nearest_rank(expression, percent) for percent in (50, 95))
    return f"count({expression}), {percentiles}, max({expression})"


#: A cancel that nobody asked for, or that found no request, has nothing to measure.
_SETTLE = "CASE WHEN kind <> 'internal' AND target_frame IS NOT NULL THEN settle_ns END"
_OUTCOMES = ("cancelled", "completed", "error", "unanswered", "no_target")
_ENDED = ", ".join(f"count(*) FILTER (kind <> 'internal' AND outcome = '{one}')" for one in _OUTCOMES)

_STATS = f"""
{{picked}},
of_traces AS (SELECT g, any_value(name) AS name, any_value(version) AS version, count(*) AS traces
    FROM picked GROUP BY g),
of_sessions AS (SELECT g, count(DISTINCT session_id) FROM picked JOIN sessions USING (trace_id) GROUP BY g),
of_turns AS (SELECT g, count(*), {_spread("duration_ns")}, {_spread("first_output_ns")}
    FROM picked JOIN turns USING (trace_id) GROUP BY g),
of_cancels AS (SELECT g, {_spread(_SETTLE)}, {_ENDED}, count(*) FILTER (kind = 'internal')
    FROM picked JOIN cancellations USING (trace_id) GROUP BY g)
SELECT * FROM of_traces LEFT JOIN of_sessions USING (g) LEFT JOIN of_turns USING (g)
    LEFT JOIN of_cancels USING (g)
"""

_FOUND = """
{picked} SELECT g, code, severity, blame, count(*) FROM picked JOIN findings USING (trace_id)
GROUP BY ALL ORDER BY count(*) DESC, code, blame
"""


def _found(
    connection: duckdb.DuckDBPyConnection, picked: str, values: list[Any]
) -> dict[int, tuple[Found, ...]]:
    found: dict[int, tuple[Found, ...]] = {}
    for group, *row in connection.execute(_FOUND.format(picked=picked), values).fetchall():
        found[group] = (*found.get(group, ()), Found(*row))
    return found


def _stats(row: tuple[Any, ...], findings: tuple[Found, ...]) -> Stats:
    """A row of `_STATS`, which has the columns in the order in which they are taken here."""
    left = iter(row[1:])
    name, version, traces = _next(left, 3)
    (sessions,) = _numbers(left, 1)
    (turns,) = _numbers(left, 1)
    turn, first_output, settle = _a_spread(left), _a_spread(left), _a_spread(left)
    return Stats(
        name,
        version,
        traces,
        sessions,
        turns,
        turn,
        first_output,
        settle,
        Cancels(*_numbers(left, len(_OUTCOMES) + 1)),
        findings,
    )


def _a_spread(left: Iterator[Any]) -> Spread:
    (n,) = _numbers(left, 1)
    return Spread(n, *_next(left, 3))


def _numbers(left: Iterator[Any], count: int) -> list[int]:
    """The next numbers of a row: NULL, where nothing was joined, is none."""
    return [one or 0 for one in _next(left, count)]


def _next(left: Iterator[Any], count: int) -> list[Any]:
    return [next(left) for _ in range(count)]


def _natural(text: str | None) -> list[str | int]:
    """The order of names and versions as people see it: 1.9 before 1.10."""
    parts = re.split(r"(\d+)", (text or "").casefold())
    return [int(part) if at % 2 else part for at, part in enumerate(parts)]
