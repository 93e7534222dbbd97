"""Tables of one line a row, fast enough for a thousand turns: rich's own measure each cell many times.

(Measured: half the time of `show` on a million frames went into a rich table of its 1,000 turns.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from acp_trace.report.text import words

_GAP = 2
_NARROWEST = 20


class Column(NamedTuple):
    """One column. At most one of a table is `flexible`: it takes what is left, and is cut with `…`."""

    heading: str = ""
    right: bool = False
    flexible: bool = False


class Cell(NamedTuple):
    """One cell: a line of safe text, and what colours it."""

    text: str
    style: str | None = None


Row = Sequence[Sequence[Cell]]


def table(columns: Sequence[Column], rows: Sequence[Row], width: int, indent: int = 1) -> Text:
    """The rows under their headings; a cell is a sequence of pieces, most often one."""
    width = max(width, _NARROWEST)
    heads: Row = [[Cell(column.heading, words.FAINT)] for column in columns]
    lines = [heads, *rows] if any(column.heading for column in columns) else list(rows)
    sizes = [[sum(cell_len(piece.text) for piece in cell) for cell in line] for line in lines]
    widths = [max((line[at] for line in sizes), default=0) for at in range(len(columns))]
    taken = indent + _GAP * (len(columns) - 1)
    for at, column in enumerate(columns):
        if column.flexible:
            others = sum(widths) - widths[at]
            widths[at] = max(min(widths[at], width - taken - others), len(column.heading), 1)
    text = Text(no_wrap=True, overflow="ellipsis", end="")
    for line, line_sizes in zip(lines, sizes, strict=True):
        text.append(" " * indent)
        end = max((at for at, size in enumerate(line_sizes) if size), default=0)
        for at, (cell, size) in enumerate(zip(line[: end + 1], line_sizes, strict=False)):
            padding = max(widths[at] - size, 0)
            if columns[at].right:
                text.append(" " * padding)
            for piece in _cut(cell, size, widths[at]):
                text.append(piece.text, piece.style)
            if at < end:  # no blanks at the end of a line
                text.append(" " * ((0 if columns[at].right else padding) + _GAP))
        text.append("\n")
    return text


def _cut(cell: Sequence[Cell], size: int, room: int) -> Sequence[Cell]:
    if size <= room:
        return cell
    kept: list[Cell] = []
    left = room - 1
    for piece in cell:
        fits = piece.text if cell_len(piece.text) <= left else set_cell_size(piece.text, left)
        kept.append(Cell(fits, piece.style))
        left -= cell_len(fits)
        if left <= 0:
            break
    return [*kept, Cell("…")]
