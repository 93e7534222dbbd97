"""Tables, fast enough for a thousand turns: rich's own measure each cell many times.

Measured: half the time of `show` on a million frames went into a rich table of its 1,000 turns. Of a table of
2,800 lines, rich took 60 ms to cut it into lines that it had already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.text import Span, Text

from acp_trace.report.text import styles

_GAP = 2
_NARROWEST = 20
#: A blank at which no line breaks; it is printed as any other.
GLUE = "\u00a0"


class Column(NamedTuple):
    """One column. At most one of a table is `flexible`: it takes what is left.

    What is too long for it is cut with `…`, or with `wraps` goes on below itself; then a row that has nothing
    behind it takes the rest of the line.
    """

    heading: str = ""
    right: bool = False
    flexible: bool = False
    wraps: bool = False


class Cell(NamedTuple):
    """One cell: a line of safe text, and what colours it."""

    text: str
    style: str | None = None


Row = Sequence[Sequence[Cell]]


def table(
    columns: Sequence[Column], rows: Sequence[Row], width: int, indent: int = 1, *, cut: bool = True
) -> Text:
    """The rows under their headings; a cell is a sequence of pieces, most often one.

    Without `cut`, lines are as long as they need to be, but for what `wraps`.
    """
    width = max(width, _NARROWEST)
    heads: Row = [[Cell(column.heading, styles.FAINT)] for column in columns]
    lines = [heads, *rows] if any(column.heading for column in columns) else list(rows)
    sizes = [[_size(cell) for cell in line] for line in lines]
    widths = _widths(columns, sizes, width - indent, cut=cut)
    made = _Lines()
    gap = " " * _GAP
    places = range(len(columns))
    for line, line_sizes in zip(lines, sizes, strict=True):
        if not any(line_sizes):
            made.add("\n")
            continue
        made.add(" " * indent)
        end = max(compress(places, line_sizes), default=0)
        left = indent
        below: tuple[int, list[Text]] = 0, []
        for at, (cell, size) in enumerate(zip(line[: end + 1], line_sizes, strict=False)):
            column, room = columns[at], widths[at]
            whole = max(width - left, 1) if column.wraps and at == end else room
            padding = " " * (room - size)
            if column.wraps and size > whole:
                first, *others = wrap(_joined(cell), whole)
                below = left, others
                made.add_text(first)
                padding = " " * (room - first.cell_len)
            else:
                if column.right and padding:
                    made.add(padding)
                for piece, style in cell if size <= whole else _cut(cell, size, room):
                    made.add(piece, style)
            if at < end:  # no blanks at the end of a line
                made.add(gap if column.right else padding + gap)
            left += room + _GAP
        made.add("\n")
        for more in below[1]:
            made.add(" " * below[0])
            made.add_text(more)
            made.add("\n")
    used = indent + sum(widths) + _GAP * (len(columns) - 1)
    return made.text(width if used <= width else None)


def fitted(
    columns: Sequence[tuple[Column, int]],
    rows: Sequence[Row],
    width: int,
    least: int,
    below: int | None = None,
    *,
    cut: bool = True,
    indent: int = 0,
) -> Text:
    """A table of the columns for which there is room: each has a rank, 0 is always there, the highest goes.

    A flexible column needs no more than `least`. What no row has is not a column, nor what has a rank that is
    not `below` this one.
    """
    sizes = [max((_size(row[at]) for row in rows), default=0) for at in range(len(columns))]
    room = width - indent + _GAP
    kept = []
    for at in sorted((at for at, size in enumerate(sizes) if size), key=lambda at: columns[at][1]):
        column, rank = columns[at]
        if below is not None and rank >= below:
            break
        needed = max(min(sizes[at], least) if column.flexible else sizes[at], cell_len(column.heading)) + _GAP
        if needed <= room or not rank:
            kept.append(at)
            room -= needed
    shown = sorted(kept)
    return table(
        [columns[at][0] for at in shown], [[row[at] for at in shown] for row in rows], width, indent, cut=cut
    )


class _Lines:
    """A text while it is put together: at once, because rich looks through all that is appended to one."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._spans: list[Span] = []
        self._length = 0

    def add(self, text: str, style: str | None = None) -> None:
        begin = self._length
        self._pieces.append(text)
        self._length += len(text)
        if style and text:
            self._spans.append(Span(begin, self._length, style))

    def add_text(self, text: Text) -> None:
        begin = self._length
        self._spans += [span.move(begin) for span in text.spans]
        self.add(text.plain)

    def text(self, width: int | None) -> Text:
        """All of it. `width`: no line is wider; None, if that is not known."""
        plain = "".join(self._pieces).replace(GLUE, " ")
        text = _Fitting(plain, no_wrap=True, overflow="ellipsis", end="", spans=self._spans)
        text.width = width
        return text


class _Fitting(Text):
    """A text that rich need not cut into lines and measure again: half the time of printing it."""

    width: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        if self.width is None or self.width > options.max_width:
            return super().__rich_console__(console, options)
        return self.render(console, end=self.end)


def _size(cell: Sequence[Cell]) -> int:
    """The width of a cell; ASCII text need not be measured."""
    size = 0
    for text, _ in cell:
        size += len(text) if text.isascii() else cell_len(text)
    return size


def _widths(columns: Sequence[Column], sizes: Sequence[Sequence[int]], room: int, *, cut: bool) -> list[int]:
    """How wide each column is: as wide as its widest cell, and the flexible one no wider than fits."""
    widths = [max((line[at] for line in sizes), default=0) for at in range(len(columns))]
    for at, column in enumerate(columns):
        if column.flexible and (cut or column.wraps):
            if column.wraps:  # what has the rest of its line for itself does not count
                widths[at] = max((line[at] for line in sizes if any(line[at + 1 :])), default=0)
            others = sum(widths) - widths[at] + _GAP * (len(columns) - 1)
            widths[at] = max(min(widths[at], room - others), len(column.heading), 1)
    return widths


def paragraph(text: Text, width: int, indent: int = 3) -> Text:
    """A text that goes on below itself, indented, if it is longer than a line."""
    made = Text(f"\n{' ' * indent}").join(wrap(text, width, indent))
    made.plain = made.plain.replace(GLUE, " ")
    return made


def wrap(text: Text, room: int, indent: int = 0) -> list[Text]:
    """The lines of a text, cut between words where that is possible; at least one.

    `indent`: so much less room all lines but the first have.
    """
    room = max(room, 1)
    if text.cell_len <= room:
        return [text]
    cuts: list[int] = []
    used = last_gap = 0
    blank = True  # so far: a line of nothing but blanks would be empty
    for at, char in enumerate(text.plain):
        size = 1 if char.isascii() else cell_len(char)
        while used and used + size > room and char != " ":
            begin = cuts[-1] if cuts else 0
            room = room if cuts else max(room - indent, 1)
            cut = last_gap if last_gap > begin else at
            while cuts and cut > begin + 1 and cell_len(text.plain[begin:cut].rstrip()) > room:
                cut -= 1  # what the first line left over can be longer than the room of those below it
            cuts.append(cut)
            used = cell_len(text.plain[cut:at])
        used += size
        if char != " ":
            blank = False
        elif not blank:
            last_gap = at + 1
    lines = list(text.divide(cuts))
    for line in lines:
        line.rstrip()
    return lines


def _joined(cell: Sequence[Cell]) -> Text:
    return Text.assemble(*((piece.text, piece.style or "") for piece in cell))


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
