"""The latency section of `show`: percentiles by sender and method."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.latency import Latency, latencies
from acp_trace.report import units, words
from acp_trace.report.safe import safe

_WIDE = 100


def latency(found: facts.Facts, width: int) -> Table:
    """One row a sender and method, the slowest first."""
    wide = width >= _WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=words.FAINT)
    table.add_column("method", no_wrap=True)
    for heading in ("n", "open", "errors"):
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in ("min", "p50", "p95", "max") if wide else ("p50", "p95", "max"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in sorted(latencies(found.exchanges), key=_slowest):
        table.add_row(*_row(row, wide))
    return table


def _slowest(row: Latency) -> tuple[int, str, str]:
    return (-(row.p95_ns or 0), row.sender, row.method)


def _row(row: Latency, wide: bool) -> list[Text]:
    method = Text(f"{words.ARROWS[row.sender]} ", words.COLOURS[row.sender])
    method.append(safe(row.method), "default")
    cells = [
        method,
        Text(units.number(row.count)),
        Text(str(row.open or ""), words.OPEN),
        Text(str(row.errors or ""), words.ERROR),
    ]
    times = (row.min_ns, row.p50_ns, row.p95_ns, row.max_ns)
    return cells + [Text(units.duration(ns)) for ns in (times if wide else times[1:])]
