"""A table of rows in a notebook: the first and the last of them, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_trace.report.notebook import markup
from acp_trace.trace.counts import counted

#: Rows that are shown on either side of what is left out.
_FIRST, _LAST = 15, 5
_MOST_COLUMNS = 30
_NUMBERS = ("INT", "DECIMAL", "DOUBLE", "FLOAT")


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str]) -> str:
    """The HTML of it. NULL is faint, to tell it from the text `NULL`."""
    shown = columns[:_MOST_COLUMNS]
    numbers = [at for at, of in enumerate(types) if any(word in of for word in _NUMBERS)]
    if len(rows) > _FIRST + _LAST:
        gap: list[object] = [markup.faint("⋮") for _ in shown]
        made = [*map(_row, rows[:_FIRST]), gap, *map(_row, rows[-_LAST:])]
    else:
        made = [*map(_row, rows)]
    about = [counted(len(rows), "row")]
    if len(columns) > len(shown):
        about.append(f"{len(columns) - len(shown)} of {len(columns)} columns not shown")
    return markup.report(markup.table(shown, made, numbers), markup.line(markup.faint(", ".join(about))))


def _row(row: Sequence[Any]) -> list[object]:
    return [markup.faint("NULL") if value is None else value for value in row[:_MOST_COLUMNS]]
