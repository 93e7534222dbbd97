"""Requests that failed or were never answered, as rows for the page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.page.documents import FailureRow, FailuresDocument
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements import stderr
from acp_trace.report.statements.failures import failures

#: The most requests that are listed.
MOST = 100
_LONGEST = 400


def failure_rows(trace_facts: facts.Facts, logs: Sequence[stderr.LogLine], *, live: bool) -> FailuresDocument:
    """The first of them."""
    every = failures(trace_facts, live=live)
    windows = stderr.request_windows(trace_facts) if logs else {}
    rows = []
    for one in every[:MOST]:
        exchange = one.exchange
        window = windows.get(exchange.frame)
        lines, more = stderr.NearbyLines([], 0) if window is None else stderr.beside(logs, window)
        rows.append(FailureRow(
            exchange.sender,
            safe(shorten(exchange.method, _LONGEST)),
            one.answer,
            "" if exchange.latency_ns is None else units.duration(exchange.latency_ns),
            shorten(one.said, _LONGEST),
            [(line.line, line.frame) for line in lines],
            None if window is None or not more else (more, stderr.filter_of(window)),
            exchange.frame,
            one.status.value,
        ))  # fmt: skip
    return {"rows": rows, "more": len(every) - len(rows)}
