"""The section of `show` for exchanges that failed or never ended."""

from __future__ import annotations

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, table

#: A trace can hold thousands, and what matters must not scroll past.
_MOST = 15
_WIDE = 100
_WRAPPING = Column(flexible=True, wraps=True)


def trouble(found: facts.Facts, width: int, *, all_: bool, live: bool) -> tuple[int, int, Text]:
    """How many there are, how many of them are not shown, and the table of the others."""
    bad = [one for one in found.exchanges if one.outcome != "result"]
    shown = bad if all_ else bad[:_MOST]
    open_ = "not answered yet" if live else "open at the end" if found.trace.aborted else "never answered"
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


def _row(one: facts.Exchange, open_: str) -> list[list[Cell]]:
    """`open_`: what to say of one without a response."""
    if one.outcome == "open":
        answer = Cell(open_, words.OPEN)
    else:
        answer = Cell("error" if one.error_code is None else f"error {one.error_code}", words.ERROR)
    return [
        [Cell(f"#{one.frame}", words.FAINT)],
        [Cell(f"{words.ARROWS[one.sender]} ", words.COLOURS[one.sender]), Cell(safe(one.method))],
        [answer],
        [Cell("" if one.latency_ns is None else units.duration(one.latency_ns))],
        [Cell(safe(one.error_message or ""))],
    ]
