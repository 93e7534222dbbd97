"""Latencies in SQL, by the rule of `analyze.latency.nearest_rank`: always a value that was measured."""

from __future__ import annotations

from collections.abc import Callable


def nearest_rank(expression: str, percent: int) -> str:
    """The SQL of an aggregate: the percentile of the values that are not NULL, else NULL.

    The rank is reckoned from whole numbers, which quantile_disc's 0.95 is not.
    """
    values = f"list_sort(list({expression}) FILTER ({expression} IS NOT NULL))"
    return f"{values}[greatest(1, ceil(count({expression}) * {percent} / 100.0)::BIGINT)]"


def latency(rank: Callable[[str, int], str]) -> str:
    """The columns of `analyze.latency.Latency` over `exchanges`, to be grouped by sender and method.

    `rank`: gives the SQL of a percentile, as `nearest_rank` does for DuckDB. The rest is that of all engines.
    """
    return f"""
sender, method, count(*) AS count, count(*) FILTER (WHERE outcome <> 'open') AS answered,
count(*) FILTER (WHERE outcome = 'open') AS open,
count(*) FILTER (WHERE outcome = 'error') AS errors, min(latency_ns) AS min_ns,
{rank("latency_ns", 50)} AS p50_ns, {rank("latency_ns", 95)} AS p95_ns,
max(latency_ns) AS max_ns
"""


LATENCY = latency(nearest_rank)
