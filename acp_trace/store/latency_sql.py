"""Latencies in SQL, by the rule of `analyze.latency.nearest_rank`: always a value that was measured."""

from __future__ import annotations


def nearest_rank(expression: str, percent: int) -> str:
    """The SQL of an aggregate: the percentile of the values that are not NULL, else NULL.

    The rank is reckoned from whole numbers, which quantile_disc's 0.95 is not.
    """
    values = f"list_sort(list({expression}) FILTER ({expression} IS NOT NULL))"
    return f"{values}[greatest(1, ceil(count({expression}) * {percent} / 100.0)::BIGINT)]"


#: The columns of `analyze.latency.Latency` over `exchanges`, to be grouped by sender and method.
LATENCY = f"""
sender, method, count(*) AS count, count(*) FILTER (outcome <> 'open') AS answered,
count(*) FILTER (outcome = 'open') AS open,
count(*) FILTER (outcome = 'error') AS errors, min(latency_ns) AS min_ns,
{nearest_rank("latency_ns", 50)} AS p50_ns, {nearest_rank("latency_ns", 95)} AS p95_ns,
max(latency_ns) AS max_ns
"""
