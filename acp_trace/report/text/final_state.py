"""A session's state at the end and how it got there: one line a value, its history below it if it changed.

The timeline shows when values changed; this shows their state now, for configuration and metadata alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, Cell, Column, table
from acp_trace.trace.counts import counted

_LONGEST = 4  #: the most steps of a history that is shown whole
_MOST = 400  #: characters of a value


class StateStep(NamedTuple):
    """A value that something took on: JSON text, None if it was removed. `cause` says where from."""

    value: str | None
    frame: int
    cause: str


class StateRow(NamedTuple):
    """One value: its name, its state now, the steps to it, and a note."""

    name: str
    now: str | None
    steps: Sequence[StateStep]
    notes: Sequence[str] = ()
    colour: str | None = None


def state_table(rows: Sequence[StateRow], width: int, *, all_: bool) -> Text:
    """The values under each other; every value whole, with `all_` also every history."""
    lines: list[list[list[Cell]]] = []
    for row in rows:
        now = phrases.value(row.now, None if all_ else _MOST)
        lines.append([[Cell(row.name)], [Cell(now, row.colour)]])
        history = [_history(row.steps, all_=all_)] if len(row.steps) > 1 else []
        if below := " · ".join(filter(None, [*history, *row.notes])):
            lines.append([[], [Cell(below, styles.FAINT)]])
    return table((Column(), Column(flexible=True, wraps=True)), lines, width, indent=3)


def _history(steps: Sequence[StateStep], *, all_: bool) -> str:
    if len(steps) > _LONGEST and not all_:
        last = steps[-1]
        return f"{counted(len(steps) - 1, 'change')}, the last in #{last.frame} {last.cause}".rstrip()
    values = [f"{phrases.value(step.value)} {_where(step)}" for step in steps]
    return " → ".join(values)


def _where(step: StateStep) -> str:
    return f"(#{step.frame}{GLUE}{step.cause.replace(' ', GLUE)})" if step.cause else f"(#{step.frame})"
