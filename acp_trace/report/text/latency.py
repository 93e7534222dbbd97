"""Latency by sender and method: a section of `show`, and `stats --by method`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.latency import Latency, latencies
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, table

_WIDE = 100


def latency(found: facts.Facts, width: int) -> Text:
    """One row a sender and method, the slowest first."""
    return percentiles(latencies(found.exchanges), width)


def percentiles(found: Iterable[Latency], width: int) -> Text:
    """The same of rows that are at hand."""
    times = ("min", "p50", "p95", "max") if width >= _WIDE else ("p50", "p95", "max")
    columns = [Column("method", flexible=True)]
    columns += [Column(heading, right=True) for heading in ("n", "open", "errors", *times)]
    rows = [_row(row, len(times)) for row in sorted(found, key=_slowest)]
    return table(columns, rows, width)


def _slowest(row: Latency) -> tuple[int, str, str]:
    return (-(row.p95_ns or 0), row.sender, row.method)


def _row(row: Latency, times: int) -> list[list[Cell]]:
    durations = (row.min_ns, row.p50_ns, row.p95_ns, row.max_ns)[-times:]
    return [
        [Cell(f"{words.ARROWS[row.sender]} ", words.COLOURS[row.sender]), Cell(safe(row.method))],
        [Cell(units.number(row.count))],
        [Cell(str(row.open or ""), words.OPEN)],
        [Cell(str(row.errors or ""), words.ERROR)],
        *([Cell(units.duration(ns))] for ns in durations),
    ]
