"""Figures over many traces, by agent, version, client or method, from the tables of facts alone.

Nothing here reads `frames`: a store of ten million frames has some ten thousand turns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_trace.analyze.latency import Latency
from acp_trace.analyze.stats import By, Cancels, Spread, Stats, StatsInput
from acp_trace.store.connect import reading
from acp_trace.store.percentiles import LATENCY, nearest_rank
from acp_trace.store.remove import BadAge, age

if TYPE_CHECKING:
    import duckdb

#: What names a row: the expressions for its name and its version.
NAMES: dict[By, tuple[str, str]] = {
    "agent": ("agent_name", "NULL::VARCHAR"),
    "agent_version": ("agent_name", "agent_version"),
    "client": ("client_name", "NULL::VARCHAR"),
}


#: An agent that never said its name is shown, and asked for, as `?`.
_AGENT = "lower(coalesce(agent_name, '?'))"


@dataclass(frozen=True, slots=True)
class StatsFilter:
    """Which traces count: of this agent (its name or a GLOB, in any case), begun since then."""

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


def stats(store: Path, by: By, wanted: StatsFilter) -> list[Stats]:
    """One row a name (and version), in their order; none where no trace is wanted. Raises StoreError."""
    name, version = NAMES[by]
    picked, values = _picked(wanted, f"{name} AS name, {version} AS version")
    with reading(store) as connection:
        rows = connection.execute(_STATS.format(picked=picked), values).fetchall()
        found = _found(connection, picked, values)
    made = [_stats(row, found.get(group, [])) for group, *row in rows]
    return sorted(made, key=lambda one: (one.name is None, _natural(one.name), _natural(one.version)))


def methods(store: Path, wanted: StatsFilter) -> list[Latency]:
    """One row for each sender and method over all wanted traces, by sender and method. Raises StoreError."""
    picked, values = _picked(wanted, "NULL AS name, NULL AS version")
    sql = f"{picked} SELECT {LATENCY} FROM picked JOIN exchanges USING (trace_id) GROUP BY sender, method"
    with reading(store) as connection:
        rows = connection.execute(f"{sql} ORDER BY sender DESC, method", values).fetchall()
    return [Latency(*row) for row in rows]


def _picked(wanted: StatsFilter, names: str) -> tuple[str, list[Any]]:
    """The SQL that begins with the wanted traces, each with the number `g` of its row, and its values."""
    where: list[str] = []
    values: list[Any] = []
    if wanted.agent is not None:
        where.append(f"({_AGENT} = lower(?) OR {_AGENT} GLOB lower(?))")
        values += [wanted.agent.encode(errors="backslashreplace").decode()] * 2  # DuckDB takes UTF-8 only
    if wanted.since is not None:
        where.append("epoch_us(TRY_CAST(started_at AS TIMESTAMPTZ)) >= ?")
        values.append(_epoch_us(wanted.since))
    condition = f"WHERE {' AND '.join(where)}" if where else ""
    number = "dense_rank() OVER (ORDER BY name, version) AS g"
    return f"WITH picked AS (SELECT trace_id, agent_name, {names}, {number} FROM traces {condition})", values


def _epoch_us(moment: datetime) -> int:
    # Not `timestamp()`, which is a float.
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _spread(expression: str) -> str:
    """The SQL of a `Spread`, as a struct."""
    p50, p95 = (nearest_rank(expression, percent) for percent in (50, 95))
    ends = f"n := count({expression}), max_ns := max({expression})"
    return f"struct_pack({ends}, p50_ns := {p50}, p95_ns := {p95})"


#: A cancel that nobody asked for, or that found no request, has nothing to measure.
_SETTLE = "CASE WHEN kind <> 'internal' AND target_frame IS NOT NULL THEN settle_ns END"
_OUTCOMES = ("cancelled", "completed", "error", "unanswered", "no_target")
_CANCELS = ", ".join(
    f"{one} := count(*) FILTER (kind <> 'internal' AND outcome = '{one}')" for one in _OUTCOMES
)

_STATS = f"""
{{picked}},
of_traces AS (SELECT g, any_value(name) AS name, any_value(version) AS version, count(*) AS traces
    FROM picked GROUP BY g),
of_sessions AS (SELECT g, count(DISTINCT (agent_name, session_id)) AS sessions
    FROM picked JOIN sessions USING (trace_id) GROUP BY g),
of_turns AS (SELECT g, count(*) AS turns, {_spread("duration_ns")} AS turn,
    {_spread("first_output_ns")} AS first_output FROM picked JOIN turns USING (trace_id) GROUP BY g),
of_cancels AS (SELECT g, {_spread(_SETTLE)} AS settle,
    struct_pack({_CANCELS}, internal := count(*) FILTER (kind = 'internal')) AS cancels
    FROM picked JOIN cancellations USING (trace_id) GROUP BY g)
SELECT g, name, version, traces, sessions, turns, turn, first_output, settle, cancels
FROM of_traces LEFT JOIN of_sessions USING (g) LEFT JOIN of_turns USING (g) LEFT JOIN of_cancels USING (g)
"""

_FOUND = """
{picked} SELECT g, code, severity, blame, count(*) FROM picked JOIN findings USING (trace_id)
GROUP BY ALL ORDER BY count(*) DESC, code, blame
"""


def _stats(row: list[Any], found: list[StatsInput]) -> Stats:
    """A row of `_STATS`; NULL where nothing was joined."""
    name, version, traces, sessions, turns, *spreads, cancels = row
    turn, first_output, settle = (Spread(**one) if one else Spread() for one in spreads)
    ended = Cancels(**cancels) if cancels else Cancels()
    return Stats(name, version, traces, sessions or 0, turns or 0, turn, first_output, settle, ended, found)


def _found(
    connection: duckdb.DuckDBPyConnection, picked: str, values: list[Any]
) -> dict[int, list[StatsInput]]:
    """The findings of each row, by its number."""
    found: dict[int, list[StatsInput]] = {}
    for group, *one in connection.execute(_FOUND.format(picked=picked), values).fetchall():
        found.setdefault(group, []).append(StatsInput(*one))
    return found


def _natural(text: str | None) -> list[tuple[int, str]]:
    """The order of names and versions as people see it: 1.9 before 1.10. Digits compare by length first."""
    parts = re.split(r"(\d+)", (text or "").casefold())
    return [(len(part.lstrip("0")), part) if at % 2 else (0, part) for at, part in enumerate(parts)]
