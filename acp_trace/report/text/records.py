"""Rows of any query: as a table if it fits, otherwise one record under the other, so that nothing is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from acp_trace.report.safe import safe
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table


def records(names: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None) -> Text:
    """The rows with their column names; `width` is None if nothing limits it."""
    made = [["" if item is None else safe(str(item)) for item in row] for row in rows]
    heads = [safe(name) for name in names]
    widths = [max(map(cell_len, column)) for column in zip(heads, *made, strict=True)]
    if width is None or sum(widths) + 2 * len(widths) <= width + 2:
        columns = [Column(head, right=_numeric(rows, at)) for at, head in enumerate(heads)]
        cells = [[[Cell(text)] for text in row] for row in made]
        return table(columns, cells, sum(widths) + 2 * len(widths), indent=0)
    text = Text(end="")
    label = max(map(cell_len, heads), default=0)
    for number, row in enumerate(made, 1):
        text.append(f"── {number}\n", styles.FAINT)
        for head, item in zip(heads, row, strict=True):
            text.append(f"{head:<{label}}  ", styles.FAINT)
            room = max(width - label - 2, 20)
            pieces = [item[at : at + room] for at in range(0, len(item), room)] or [""]
            text.append(("\n" + " " * (label + 2)).join(pieces) + "\n")
    return text


def _numeric(rows: Sequence[Sequence[Any]], at: int) -> bool:
    numbers = (int, float)
    return any(isinstance(row[at], numbers) for row in rows) and all(
        row[at] is None or (isinstance(row[at], numbers) and not isinstance(row[at], bool)) for row in rows
    )
