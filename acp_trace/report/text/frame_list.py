"""One line a frame: number, times, arrow, kind, method, session, size, gist. And one for joined chunks.

The columns are a table: how wide each is, and from which width of the terminal on it is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from rich.text import Text

from acp_trace.analyze.analyzer import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.report import units
from acp_trace.report.chunk_runs import ChunkRun
from acp_trace.report.frame_rows import FrameRow
from acp_trace.report.safe import safe, safe_lines, shorten
from acp_trace.report.text import words
from acp_trace.report.text.gist import gist

_KINDS = {
    MessageKind.REQUEST: "req",
    MessageKind.NOTIFICATION: "ntf",
    MessageKind.RESPONSE: "res",
    MessageKind.INVALID: "bad",
    MessageKind.TEXT: "txt",
    MessageKind.BYTES: "bin",
}
#: What stands in the place of a method where no column says the kind.
_BAD = {
    MessageKind.INVALID: "not JSON-RPC",
    MessageKind.TEXT: "not JSON",
    MessageKind.BYTES: "not UTF-8",
}
#: How much of a gist is worth showing where no terminal limits it.
_LONGEST = 200
#: The width that is given to lines of which nothing is cut.
_UNLIMITED = 1000
_SESSION = "session/"


class _Line(NamedTuple):
    """What the columns look at. `size`, `took_ns` and `gist` are those of a frame, or of a run of chunks."""

    frame: Frame
    since_ns: int | None
    took_ns: int | None
    size: int
    gist: str


class _Layout(NamedTuple):
    """One column. `text` makes its cell from a line and the room; `style` colours it."""

    heading: str
    size: int
    text: Callable[[_Line, int], str]
    style: Callable[[Frame], str | None]
    right: bool = False
    from_width: int = 0
    to_width: int = _UNLIMITED


def _faint(_: Frame) -> str:
    return words.FAINT


def _plain(_: Frame) -> None:
    return None


def _side(frame: Frame) -> str:
    return words.COLOURS[frame.sender]


def _kind_style(frame: Frame) -> str:
    return words.ERROR if frame.kind in _BAD else words.FAINT


def _short_method_style(frame: Frame) -> str:
    return words.ERROR if frame.kind in _BAD else words.COLOURS[frame.sender]


def _since(line: _Line, _: int) -> str:
    return "" if line.since_ns is None else units.brief(line.since_ns)


def _took(line: _Line, _: int) -> str:
    return "" if line.took_ns is None else units.brief(line.took_ns)


def _method(line: _Line, room: int) -> str:
    frame = line.frame
    if frame.kind is MessageKind.RESPONSE:
        return shorten(safe(f"#{frame.answers} {frame.method}" if frame.answers else "to nothing"), room)
    if frame.update is not None:
        return shorten(safe(f"update {frame.update}"), room)
    return shorten(safe(frame.method or ""), room)


def _short_method(line: _Line, room: int) -> str:
    """The same without the words that go without saying, where there is no room for them."""
    frame = line.frame
    if frame.kind in _BAD:
        return _BAD[frame.kind]
    if frame.update is not None:
        return shorten(safe(frame.update), room)
    text = _method(line, _UNLIMITED)
    return shorten(text if len(text) <= room else text.replace(_SESSION, "", 1), room)


#: From left to right; the gist takes what is left.
_COLUMNS = (
    _Layout("frame", 6, lambda line, _: str(line.frame.frame), _faint, right=True),
    _Layout("s", 8, lambda line, _: units.since_start(line.frame.t_ns), _plain, right=True),
    _Layout("after", 6, _since, _faint, right=True, from_width=76),
    _Layout("", 1, lambda line, _: words.ARROWS[line.frame.sender], _side),
    _Layout("kind", 4, lambda line, _: _KINDS[line.frame.kind], _kind_style, from_width=104),
    _Layout("method", 20, _short_method, _short_method_style, to_width=75),
    _Layout("method", 23, _short_method, _short_method_style, from_width=76, to_width=103),
    _Layout("method", 27, _method, _side, from_width=104, to_width=119),
    _Layout("method", 33, _method, _side, from_width=120),
    _Layout(
        "session", 8, lambda line, _: words.short_id(line.frame.session_id or "", 8), _faint, from_width=124
    ),
    _Layout("took", 6, _took, _plain, right=True),
    _Layout("size", 7, lambda line, _: units.size(line.size), _faint, right=True, from_width=96),
)


def _columns(width: int | None) -> list[_Layout]:
    given = _UNLIMITED if width is None else width
    return [column for column in _COLUMNS if column.from_width <= given <= column.to_width]


def heading(width: int | None, trace: str | None = None) -> Text:
    """What the columns are; `trace` leaves room for a short id in front."""
    text = Text(no_wrap=True, end="", style=words.FAINT)
    text.append(" " * (len(trace) + 1) if trace else "")
    for column in _columns(width):
        text.append(
            f"{column.heading:>{column.size}} " if column.right else f"{column.heading:<{column.size}} "
        )
    text.append(" gist")
    if width is not None:
        text.truncate(width)
    return text


def line(row: FrameRow, width: int | None, trace: str | None = None) -> Text:
    """A frame's line, cut to `width` where there is one. `trace` puts a short id in front."""
    frame = row.frame
    says = safe(gist(frame)[: _LONGEST * 2])
    return _text(_Line(frame, row.since_previous_ns, row.latency_ns, frame.size, says), width, trace)


def run_line(run: ChunkRun, width: int | None) -> Text:
    """The line of joined chunks: how many, how long they took, and what they say together."""
    if run.chunks == 1:
        return line(run.first, width)
    frame, since = run.first.frame, run.first.since_previous_ns
    says = f'×{run.chunks} "{safe("".join(run.pieces)[: _LONGEST * 2])}"'
    return _text(_Line(frame, since, run.duration_ns, run.size, says), width, None)


def full(frame: Frame) -> str:
    """The frame pretty-printed, every line indented; control characters made visible."""
    try:
        text = msgspec.json.format(frame.data, indent=2).decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        text = frame.data.decode("utf-8", "backslashreplace")
    return indented(text)


def indented(text: str) -> str:
    """A text of several lines under the line that it belongs to; control characters made visible."""
    return "\n".join(f"       {one}" for one in safe_lines(text).split("\n"))


def _text(shown: _Line, width: int | None, trace: str | None) -> Text:
    text = Text(no_wrap=True, end="")
    if trace:
        text.append(f"{trace} ", words.FAINT)
    for column in _columns(width):
        cell = column.text(shown, column.size)
        padding = " " * (column.size - len(cell))
        text.append(f"{padding}{cell} " if column.right else f"{cell}{padding} ", column.style(shown.frame))
    text.append(f" {shorten(shown.gist, _LONGEST)}")
    text.rstrip()
    if width is not None:
        text.truncate(width, overflow="ellipsis")
    return text
