"""What the agent wrote to stderr: a section of `show`, and the last lines below the finding of a crash."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table, wrap
from acp_trace.trace.intervals import Interval

#: When, ns since the trace began (None: the trace has no times), and the line.
LogLine = tuple[int | None, str]

#: Lines below a crash: the useful one of a stack trace is seldom the last.
LAST = 20
#: Findings of turns that said nothing of what went wrong.
_HIDING = ("turn-empty", "model-error-hidden")
_FEW = 5  #: lines of one turn
_MOST = 1000  #: lines of the section, unless all are asked for

_COLOURS = re.compile("\x1b\\[[0-9;]*m")


def logs(lines: Sequence[LogLine], width: int, *, all_: bool) -> Text:
    """Every line with its time, or the last thousand."""
    shown = lines if all_ else lines[-_MOST:]
    rows = [[[Cell(units.since_start(t))], [Cell(readable(line))]] for t, line in shown]
    if left := len(lines) - len(shown):
        rows.insert(0, [[], [Cell(f"… {units.number(left)} more before these: --all", styles.FAINT)]])
    return table((Column("at", right=True), Column("stderr", flexible=True, wraps=True)), rows, width)


def silent_turns(found: facts.Facts) -> dict[int, Interval]:
    """From when to when turns lasted of which stderr may know more, by the frames of their findings."""
    codes = {(one.code, one.frame) for one in found.findings}
    return {
        turn.settled_frame: (turn.t_ns, turn.t_ns + turn.duration_ns)
        for turn in found.turns
        if turn.settled_frame is not None
        and turn.t_ns is not None
        and turn.duration_ns is not None
        and any((code, turn.settled_frame) in codes for code in _HIDING)
    }


def within(lines: Sequence[LogLine], span: Interval, width: int) -> Iterator[Text]:
    """The lines of a time, the first few."""
    found = [line for t, line in lines if t is not None and span[0] <= t <= span[1]]
    for line in found[:_FEW]:
        yield Text("│ ").append_text(wrap(Text(readable(line)), width - 2, 2)[0])
    if left := len(found) - _FEW:
        yield from [Text(f"… and {units.number(left)} more: show --section logs", styles.FAINT)] * (left > 0)


def last_lines(lines: Sequence[LogLine], count: int, width: int) -> Iterator[Text]:
    """The last lines, and how many there were; `count`: of all."""
    shown = lines[-LAST:]
    heading = (
        "all it wrote" if count <= len(shown) else f"the last {len(shown)} of {units.number(count)} lines"
    )
    yield Text(f"stderr, {heading} (show --section logs):", styles.FAINT)
    for _, line in shown:
        first, *rest = wrap(Text(readable(line)), width - 2, 2)
        yield Text("│ ").append_text(first) if first else Text("│")
        yield from (Text("│   ").append_text(more) for more in rest)


def readable(line: str) -> str:
    """A line without what colours it; all else that a terminal would obey is made visible."""
    return safe(_COLOURS.sub("", line)).rstrip()
