"""What the agent wrote to stderr: a section of `show`, and the last lines below the finding of a crash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.report import units
from acp_trace.report.statements import stderr
from acp_trace.report.statements.stderr import LogLine, readable
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table, wrap
from acp_trace.trace.intervals import Interval

#: Lines below a crash: the useful one of a stack trace is seldom the last.
LAST = 20
_MOST = 1000  #: lines of the section, unless all are asked for


def logs(lines: Sequence[LogLine], width: int, *, all_: bool) -> Text:
    """Every line with its time, or the last thousand."""
    shown = lines if all_ else lines[-_MOST:]
    rows = [[[Cell(units.since_start(one.t_ns))], [Cell(readable(one.line))]] for one in shown]
    if left := len(lines) - len(shown):
        rows.insert(0, [[], [Cell(f"… {units.number(left)} more before these: --all", styles.FAINT)]])
    return table((Column("at", right=True), Column("stderr", flexible=True, wraps=True)), rows, width)


def within(lines: Sequence[LogLine], window: Interval, width: int) -> Iterator[Text]:
    """The lines of a time that are most likely to say why something went wrong, and how many more it has."""
    nearby = stderr.beside(lines, window)
    for one in nearby.lines:
        yield Text("│ ").append_text(wrap(Text(one.line), width - 2, 2)[0])
    if more := stderr.rest(nearby):
        yield Text(more, styles.FAINT)


def last_lines(lines: Sequence[LogLine], count: int, width: int) -> Iterator[Text]:
    """The last lines, and how many there were; `count`: of all."""
    shown = lines[-LAST:]
    heading = (
        "all it wrote" if count <= len(shown) else f"the last {len(shown)} of {units.number(count)} lines"
    )
    yield Text(f"stderr, {heading} (show --section logs):", styles.FAINT)
    for line in (one.line for one in shown):
        first, *rest = wrap(Text(readable(line)), width - 2, 2)
        yield Text("│ ").append_text(first) if first else Text("│")
        yield from (Text("│   ").append_text(more) for more in rest)
