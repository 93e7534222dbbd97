"""Latency by sender and method: a section of `show`, and `stats --by method`."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.latency import Latency, latencies
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table

_WIDE, _NARROW = 100, 70
_TIMES = ["min", "p50", "p95", "max"]


def latency(trace_facts: facts.Facts, width: int) -> Text:
    """One row a sender and method, the slowest first."""
    return percentiles(latencies(trace_facts.exchanges), width)


def percentiles(unsorted: Iterable[Latency], width: int) -> Text:
    """The same of rows that are at hand."""
    rows = sorted(unsorted, key=_slowest)
    headings = ["n"]
    headings += ["open"] if any(row.open for row in rows) else []
    headings += ["errors"] if any(row.errors for row in rows) else []
    headings += _TIMES if width >= _WIDE else _TIMES[1:] if width >= _NARROW else _TIMES[1::2]
    columns = [Column("method", flexible=True, wraps=True)]
    columns += [Column(heading, right=True) for heading in headings]
    return table(columns, [_row(row, headings) for row in rows], width)


def _slowest(row: Latency) -> tuple[int, str, str]:
    return (-(row.p95_ns or 0), row.sender, row.method)


def _row(row: Latency, headings: list[str]) -> list[list[Cell]]:
    cells = {
        "n": Cell(units.number(row.count)),
        "open": Cell(str(row.open or ""), styles.OPEN),
        "errors": Cell(str(row.errors or ""), styles.ERROR),
        "min": Cell(units.duration(row.min_ns)),
        "p50": Cell(units.duration(row.p50_ns)),
        "p95": Cell(units.duration(row.p95_ns)),
        "max": Cell(units.duration(row.max_ns)),
    }
    method = [Cell(f"{phrases.ARROWS[row.sender]} ", styles.COLOURS[row.sender]), Cell(safe(row.method))]
    return [method, *([cells[heading]] for heading in headings)]
