"""The table of `show`'s timeline: its columns, one line an event. What the events are is not known here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from acp_trace.report import units
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, Cell, Column, table

#: Where the terminal is narrower, `how` has no column of its own.
_NARROW = 80
#: Events shown at the beginning and at the end of a session that has more of them than fit a screen.
_EITHER_END = 20


class TimelineEvent(NamedTuple):
    """One line. `note` is below it; `under` a turn is what is part of it. `is_timed`: its time is known."""

    t_ns: int | None
    frame: int
    name: str
    what: str
    how: str = ""
    style: str | None = None
    took_ns: int | None = None
    note: Sequence[Cell] = ()
    under: bool = False
    is_timed: bool = True
    depth: int = 0  #: below how many tool calls it is: a subagent's work
    order: int | None = None  #: the frame by which it is placed, if not by its own


def event_table(events: list[TimelineEvent], width: int, *, all_: bool) -> Text:
    """The events of one session as a table; of many, unless `all_`, the first and the last.

    Without times in the trace, no column shows any.
    """
    narrow, timed = width < _NARROW, any(event.t_ns is not None for event in events)
    columns = [
        *([Column("at", right=True)] if timed else []),
        Column("frame", right=True),
        Column("event"),
        Column("what", flexible=True, wraps=True),
        *([] if narrow else [Column("how")]),
        *([Column("took", right=True)] if timed else []),
    ]
    rows: list[list[Sequence[Cell]]] = []
    shown, left_out = _shown(events, all_=all_)
    for at, event in shown:
        if left_out and at == left_out[1]:
            rows.append(
                [
                    *_before_what(timed=timed),
                    [Cell(f"… {units.number(left_out[0])} more: --all", styles.FAINT)],
                ]
            )
        rows += _rows(event, narrow=narrow, timed=timed)
    return table(columns, [row + [[]] * (len(columns) - len(row)) for row in rows], width)


def _shown(
    events: list[TimelineEvent], *, all_: bool
) -> tuple[list[tuple[int, TimelineEvent]], tuple[int, int] | None]:
    """Events with their places; how many of a long list are left out, and the place behind them."""
    numbered = list(enumerate(events))
    heads = [at for at, event in numbered if not event.under]
    left_out = len(heads) - 2 * _EITHER_END
    if all_ or left_out <= 0:
        return numbered, None
    since, until = heads[_EITHER_END], heads[-_EITHER_END]
    return numbered[:since] + numbered[until:], (left_out, until)


def _before_what(*, timed: bool) -> list[Sequence[Cell]]:
    """Empty cells up to what happened."""
    return [[]] * (3 if timed else 2)


def _rows(event: TimelineEvent, *, narrow: bool, timed: bool) -> list[list[Sequence[Cell]]]:
    how = Cell(event.how.replace(" ", GLUE) if narrow else event.how, event.style)
    what = [Cell(event.what, styles.FAINT if event.under and not event.name else None)]
    if event.under and not event.name:
        return [[*_before_what(timed=timed), what]]
    row: list[Sequence[Cell]] = [
        *([[Cell(units.since_start(event.t_ns))]] if timed else []),
        [Cell(f"#{event.frame}", styles.FAINT)],
        [Cell(f"{'  ' * (1 + event.depth)}{event.name}" if event.under else event.name)],
        [*what, Cell("  "), how] if narrow and event.how else what,
        *([] if narrow else [[how]]),
        *([[Cell("" if event.took_ns is None else units.duration(event.took_ns))]] if timed else []),
    ]
    return [row, [*_before_what(timed=timed), event.note]] if event.note else [row]
