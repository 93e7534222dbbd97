"""One line a frame: number, times, arrow, kind, method, session, size, gist. Also for chunks, logs, gaps.

The columns are a table: how wide each is, and from which width of the terminal on it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import msgspec
from rich.text import Text

from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.report import units
from acp_trace.report.chunk_runs import ChunkRun
from acp_trace.report.frame_rows import FrameRow
from acp_trace.report.gist import gist
from acp_trace.report.safe import safe, safe_lines, shorten
from acp_trace.report.session_names import UNNAMED, SessionNames
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import Entry, EntryKind, Gap
from acp_trace.trace.jsontext import is_too_deep, value_or_none

_KINDS = {
    MessageKind.REQUEST: "req",
    MessageKind.NOTIFICATION: "ntf",
    MessageKind.RESPONSE: "res",
    MessageKind.INVALID: "bad",
    MessageKind.TEXT: "txt",
    MessageKind.BYTES: "bin",
}
#: The words in place of a method if no column shows the kind.
_BAD = {
    MessageKind.INVALID: "not JSON-RPC",
    MessageKind.TEXT: "not JSON",
    MessageKind.BYTES: "not UTF-8",
}
#: How much of a gist is worth showing if no terminal limits it.
_LONGEST = 200
#: The width of lines that are not cut.
_UNLIMITED = 1000
_SESSION = "session/"
#: What colours text in a terminal, which many agents write to stderr wherever that goes.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class _Cells(NamedTuple):
    """What the columns show, of a frame, a run of chunks, a line of stderr or a gap."""

    number: str
    t_ns: int | None
    arrow: str
    kind: str
    method: str
    short_method: str  #: the same without the obvious words, for little room
    gist: str
    colour: str  #: of its side
    kind_colour: str = styles.FAINT
    since_ns: int | None = None
    took_ns: int | None = None
    session: str = ""
    session_colour: str = styles.FAINT
    size: int | None = None
    stream: int | None = None


class _Layout(NamedTuple):
    """One column. `text` makes its cell, `style` colours it."""

    heading: str
    size: int
    text: Callable[[_Cells], str]
    style: Callable[[_Cells], str | None]
    right: bool = False
    from_width: int = 0
    to_width: int = _UNLIMITED
    timed: bool = False  #: only if there are times
    streamed: bool = False  #: only where frames are on several streams


def _faint(_: _Cells) -> str:
    return styles.FAINT


def _plain(_: _Cells) -> None:
    return None


def _side(cells: _Cells) -> str:
    return cells.colour


def _brief(ns: int | None) -> str:
    return "" if ns is None else units.brief(ns)


def _short(size: int) -> Callable[[_Cells], str]:
    def cell(cells: _Cells) -> str:
        method = cells.short_method
        return shorten(method if len(method) <= size else method.replace(_SESSION, "", 1), size)

    return cell


def _long(size: int) -> Callable[[_Cells], str]:
    return lambda cells: shorten(cells.method, size)


#: From left to right; the gist takes what is left.
_COLUMNS = (
    _Layout("frame", 6, lambda cells: cells.number, _faint, right=True),
    _Layout("s", 8, lambda cells: units.since_start(cells.t_ns), _plain, right=True, timed=True),
    _Layout("after", 6, lambda cells: _brief(cells.since_ns), _faint, right=True, from_width=76, timed=True),
    _Layout("", 1, lambda cells: cells.arrow, _side),
    _Layout("kind", 4, lambda cells: cells.kind, lambda cells: cells.kind_colour, from_width=104),
    _Layout("method", 20, _short(20), _side, to_width=75),
    _Layout("method", 23, _short(23), _side, from_width=76, to_width=103),
    _Layout("method", 27, _long(27), _side, from_width=104, to_width=119),
    _Layout("method", 33, _long(33), _side, from_width=120),
    _Layout("session", 7, lambda cells: cells.session, lambda cells: cells.session_colour, from_width=124),
    _Layout(
        "stream", 6, lambda cells: str(cells.stream or ""), _faint, right=True, from_width=68, streamed=True
    ),
    _Layout("took", 6, lambda cells: _brief(cells.took_ns), _plain, right=True, timed=True),
    _Layout(
        "size",
        7,
        lambda cells: "" if cells.size is None else units.size(cells.size),
        _faint,
        right=True,
        from_width=96,
    ),
)


@cache
def _columns(width: int | None, *, timed: bool, streamed: bool) -> list[_Layout]:
    given = _UNLIMITED if width is None else width
    return [
        column
        for column in _COLUMNS
        if column.from_width <= given <= column.to_width
        and (timed or not column.timed)
        and (streamed or not column.streamed)
    ]


def heading(
    width: int | None, trace: str | None = None, *, timed: bool = True, streamed: bool = False
) -> Text:
    """What the columns are; `trace` leaves room for a short id in front.

    `timed`, `streamed`: whether there are times, and streams.
    """
    text = Text(no_wrap=True, end="", style=styles.FAINT)
    text.append(" " * (len(trace) + 1) if trace else "")
    for name, size, _, _, right, *_ in _columns(width, timed=timed, streamed=streamed):
        text.append(f"{name:>{size}} " if right else f"{name:<{size}} ")
    text.append(" gist")
    if width is not None:
        text.truncate(width)
    return text


def line(
    row: FrameRow,
    width: int | None,
    trace: str | None = None,
    *,
    names: SessionNames = UNNAMED,
    is_sought: bool = False,
) -> Text:
    """A frame's line, cut to `width` if there is one. `trace` puts a short id in front.

    `names`: of sessions. `is_sought`: it is the one that its neighbours are shown for.
    """
    cells = _cells(row, safe(gist(row.frame)[: _LONGEST * 2]), names)
    if not is_sought:
        return _text(cells, width, trace)
    text = _text(cells._replace(number=f"›{cells.number}"), width, trace)
    text.stylize("bold")
    return text


def run_line(run: ChunkRun, width: int | None, names: SessionNames = UNNAMED) -> Text:
    """The line of joined chunks: how many, how long they took, and their text together."""
    if run.chunks == 1:
        return line(run.first, width, names=names)
    says = f'×{run.chunks} "{safe("".join(run.pieces)[: _LONGEST * 2])}"'
    return _text(_cells(run.first, says, names)._replace(took_ns=run.duration_ns, size=run.size), width, None)


def entry_line(entry: Entry, width: int | None, trace: str | None = None) -> Text:
    """The line of what came between frames: a line of stderr, or a gap in the recording."""
    if entry.kind is EntryKind.GAP:
        gap = Gap.of(value_or_none(entry.data))
        lost = f"{counted(gap.frames, 'frame')}, {units.size(gap.bytes)} not recorded: {safe(gap.reason)}"
        cells = _Cells("", entry.t_ns, "!", "gap", "", "", f"gap: {lost}", styles.ERROR, styles.ERROR)
    else:
        text = safe(_COLOURS.sub("", entry.data.decode("utf-8", "replace")))
        cells = _Cells("", entry.t_ns, "·", "log", "", "", f"stderr: {text}", styles.OPEN)
    return _text(cells, width, trace)


def full(frame: Frame) -> str:
    """The frame pretty-printed, every line indented; control characters made visible."""
    text = frame.data.decode("utf-8", "backslashreplace")
    if not is_too_deep(frame.data):  # its indentation would take gigabytes
        with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            text = msgspec.json.format(frame.data, indent=2).decode()
    return indented(text)


def indented(text: str) -> str:
    """A text of several lines under the line that it belongs to; control characters made visible."""
    return "\n".join(f"       {one}" for one in safe_lines(text).split("\n"))


def _cells(row: FrameRow, says: str, names: SessionNames) -> _Cells:
    frame = row.frame
    is_bad = frame.kind in _BAD
    return _Cells(
        str(frame.frame),
        frame.t_ns,
        phrases.ARROWS[frame.sender],
        _KINDS[frame.kind],
        safe(_method(frame)),
        _bad(frame) if is_bad else safe(frame.update or _method(frame)),
        says,
        styles.COLOURS[frame.sender],
        styles.ERROR if is_bad else styles.FAINT,
        row.since_previous_ns,
        row.latency_ns,
        names.of(frame.session_id),
        styles.session(names.colour(frame.session_id)),
        frame.size,
        frame.stream,
    )


def _bad(frame: Frame) -> str:
    is_batch = frame.kind is MessageKind.INVALID and frame.data.lstrip()[:1] == b"["
    return "batch" if is_batch else _BAD[frame.kind]


def _method(frame: Frame) -> str:
    if frame.kind is MessageKind.RESPONSE:
        return f"#{frame.answers} {frame.method}" if frame.answers else "to nothing"
    if frame.update is not None:
        return f"update {frame.update}"
    return frame.method or ""


def _text(cells: _Cells, width: int | None, trace: str | None) -> Text:
    text = Text(no_wrap=True, end="")
    if trace:
        text.append(f"{trace} ", styles.FAINT)
    for column in _columns(width, timed=cells.t_ns is not None, streamed=cells.stream is not None):
        if column.heading == "method" and not cells.number:
            break  # an entry that is not a frame has nothing to show there: its text takes the room
        cell = column.text(cells)
        padding = " " * (column.size - len(cell))
        text.append(f"{padding}{cell} " if column.right else f"{cell}{padding} ", column.style(cells))
    says = shorten(cells.gist, _LONGEST)
    text.append(f" {says}" if cells.number else says, None if cells.number else cells.colour)
    text.rstrip()
    if width is not None:
        text.truncate(width, overflow="ellipsis")
    return text
