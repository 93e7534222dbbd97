"""The section of `show` for exchanges that failed or never ended."""

from __future__ import annotations

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table

#: A trace can hold thousands, and what matters must not scroll past.
_MOST = 15
_WIDE = 100
_LARGE = 64 * 1024  #: bytes of a request that some readers refuse
_WRAPPING = Column(flexible=True, wraps=True)


def trouble(trace_facts: facts.Facts, width: int, *, all_: bool, live: bool) -> tuple[int, int, Text]:
    """How many there are, how many of them are not shown, and the table of the others."""
    bad = [exchange for exchange in trace_facts.exchanges if exchange.outcome != "result"]
    shown = bad if all_ else bad[:_MOST]
    open_ = phrases.unanswered(trace_facts.trace)[0]
    if live or trace_facts.trace.aborted:
        open_ = "not answered yet" if live else "open at the end"
    rows = [_row(one, open_) for one in shown]
    if width >= _WIDE:
        columns = Column(right=True), Column(), Column(), Column(right=True), _WRAPPING
    else:  # what the error says has a line of its own
        columns = Column(right=True), _WRAPPING, Column(), Column(right=True), Column()
        rows = [
            line
            for *row, message in rows
            for line in ([*row, []], [[], message, [], [], []])
            if any(cell and cell[0].text for cell in line)
        ]
    return len(bad), len(bad) - len(shown), table(columns, rows, width)


def _row(exchange: facts.Exchange, open_: str) -> list[list[Cell]]:
    """`open_`: what to say of one without a response."""
    if exchange.outcome == "open":
        answer = Cell(open_, styles.OPEN)
    else:
        answer = Cell(
            "error" if exchange.error_code is None else f"error {exchange.error_code}", styles.ERROR
        )
    return [
        [Cell(f"#{exchange.frame}", styles.FAINT)],
        [
            Cell(f"{phrases.ARROWS[exchange.sender]} ", styles.COLOURS[exchange.sender]),
            Cell(safe(exchange.method)),
        ],
        [answer],
        [Cell("" if exchange.latency_ns is None else units.duration(exchange.latency_ns))],
        [Cell(safe(_said(exchange)))],
    ]


def _said(exchange: facts.Exchange) -> str:
    """What the error says, the cause that is in its data, and the size of a request that was large."""
    message, data = exchange.error_message or "", exchange.error_data
    parts = [f"{message}: {data}" if data and data not in message else message]
    if exchange.outcome == "error" and exchange.request_bytes > _LARGE:
        parts.append(f"the request has {units.size(exchange.request_bytes)}")
    return "; ".join(filter(None, parts))
