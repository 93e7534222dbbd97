"""What some runs of one build taught, for people: the masks, how often each place varied, what none hides."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from acp_trace.report.safe import safe
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.counts import counted

_ROW = (Column("mask"), Column("varied", right=True), Column("for example", flexible=True))
_OTHER = (Column("no mask hides"), Column("varied", right=True), Column("for example", flexible=True))


def report(name: str, level: str, runs: int, rows: Sequence[tuple[str, int, str, bool]], width: int) -> Text:
    """One trace. A row: what varied, in how many runs, an example, whether a mask hides it."""
    text = Text(no_wrap=True, end="")
    text.append(safe(name), styles.HEADING)
    text.append(f"  {counted(runs, 'run')}, compared at {level}\n")
    if not rows:
        text.append("\n nothing varies, so no mask is needed\n")
    for columns, maskable in ((_ROW, True), (_OTHER, False)):
        cells = [
            [[Cell(safe(what))], [Cell(f"{times} of {runs}")], [Cell(safe(example), styles.FAINT)]]
            for what, times, example, hides in rows
            if hides == maskable
        ]
        if cells:
            text.append("\n").append_text(table(columns, cells, width))
    return text
