"""Trace files on disk: opened, read block by block, whole or as far as they go. The only readers.

Only this module tells a capture from a file of lines, by the first bytes: its callers only see lines of
format 1.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol, Self

from acp_trace.trace import lock
from acp_trace.trace.capture_blocks import NewerCapture
from acp_trace.trace.capture_layout import MAGIC, VERSION
from acp_trace.trace.capture_lines import Rendering
from acp_trace.trace.entries import Entry, EntryKind, Gap, Header
from acp_trace.trace.inputs import STANDARD_INPUT, Unreadable, refuse_device
from acp_trace.trace.jsontext import value_or_none
from acp_trace.trace.parse import NewerFormat, Parser

_BLOCK = 1 << 20
_FRAME = EntryKind.FRAME
#: The first bytes of packed files that may contain a trace.
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ": "xz",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
}
_LONGEST_MARK = max(map(len, _PACKED))


@dataclass(slots=True)
class Damage:
    """The unreadable parts of a trace file.

    `lines`: the number and the reason of the first hundred bad lines; `count` counts them all. `torn`: length
    in bytes of an unfinished last line.
    """

    lines: list[tuple[int, str]] = field(default_factory=list)
    count: int = 0
    torn: int = 0

    def add(self, line: int, problem: str) -> None:
        """Record one bad line."""
        self.count += 1
        if len(self.lines) < 100:
            self.lines.append((line, problem))


class Lines:
    """The lines of a trace as a stream of bytes, for any kind of file: a capture is converted on the way.

    `position`: how many bytes of the file were read (for progress). `live`: more may come, so an unfinished
    part at the end is left for later. `on_read` is called with all bytes that `read` returns.
    """

    def __init__(self, stream: IO[bytes], *, live: bool = False) -> None:
        self.live = live
        self.on_read: Callable[[bytes], object] = lambda _: None
        self._stream = stream
        self._start()

    def _start(self) -> None:
        self.position = 0
        self._first = b""  #: the first bytes, until they show what the file is
        self._translate: Callable[[bytes], bytes] | None = None
        self._ready: deque[bytes | memoryview] = deque()  #: pieces that have not been read yet
        self._size = 0  #: of these pieces, in bytes

    def read(self, size: int = -1) -> bytes:
        """Return the next `size` bytes, or all; fewer only at the end. A live trace may have more later.

        Raises OSError and NewerFormat.
        """
        while size < 0 or self._size < size:
            data = self._stream.read(_BLOCK)
            self.position += len(data)
            if more := self._lines(data):
                self._ready.append(more)
                self._size += len(more)
            if not data:
                break
        taken = self._taken(self._size if size < 0 else min(size, self._size))
        self.on_read(taken)
        return taken

    def _taken(self, size: int) -> bytes:
        self._size -= size
        taken: list[bytes | memoryview] = []
        while size:
            piece = self._ready.popleft()
            if len(piece) > size:  # a view: a giant line is not copied again for each part of it
                self._ready.appendleft(memoryview(piece)[size:])
                piece = memoryview(piece)[:size]
            taken.append(piece)
            size -= len(piece)
        return b"".join(taken)

    def _lines(self, data: bytes) -> bytes:
        """Return the lines for the next bytes of the file, or for its end."""
        if self._translate is None:
            self._first += data
            if (data or self.live) and len(self._first) < len(MAGIC) and MAGIC.startswith(self._first):
                return b""
            data, self._first = self._first, b""
            self._translate = self._rendered if data.startswith(MAGIC) else bytes
            self._rendering = Rendering()
        return self._translate(data)

    def _rendered(self, data: bytes) -> bytes:
        try:
            if data or self.live:
                return self._rendering.feed(data)
            return self._rendering.finish()
        except NewerCapture as error:
            raise NewerFormat(error.version, what="capture version", readable=f"version {VERSION}") from None

    def rewind(self) -> None:
        """Return to the start, if the file allows that; a pipe continues where it is."""
        if self.seekable():
            self._stream.seek(0)
            self._start()

    @property
    def is_capture(self) -> bool:
        """Whether the file is a capture; known once something was read."""
        return self._translate == self._rendered

    def seekable(self) -> bool:
        """Whether the file can be read twice."""
        return self._stream.seekable()

    def fileno(self) -> int:
        """The descriptor of the file."""
        return self._stream.fileno()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._stream is not sys.stdin.buffer:
            self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_trace(path: Path | str) -> tuple[str, Lines]:
    """Return the name for messages, and the lines: of standard input for `-`.

    Raises OSError, and Unreadable for a device.
    """
    if str(path) == "-":
        refuse_device(None, "a trace")
        return STANDARD_INPUT, Lines(sys.stdin.buffer)
    refuse_device(str(path), "a trace")
    live = lock.held(Path(path))  # before it is opened: then everything before its recorder's end is there
    return str(path), Lines(open(path, "rb", buffering=0), live=live)


class Readable(Protocol):
    """The source of a trace: `Lines`, or bytes that are lines already."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes; empty at the end."""


class TraceFile:
    """One pass over the lines of a trace. `header` and `damage` grow while `entries()` runs."""

    def __init__(self, stream: Readable, name: str) -> None:
        self.name = name
        self.damage = Damage()
        self._stream = stream
        self._beginning = b""
        self._parser = Parser()
        self._torn = b""

    @property
    def header(self) -> Header | None:
        """The header, once the first line was read."""
        return self._parser.header

    @property
    def torn(self) -> bytes:
        """The unfinished last line, verbatim."""
        return self._torn

    def entries(self, tick: Callable[[], None] | None = None) -> Iterator[Entry]:
        """Yield every line as an entry, including damaged ones.

        `tick` is called now and then. Raises NewerFormat, OSError, and Unreadable if not one line of the file
        could be read.
        """
        readable = False
        while block := self._stream.read(_BLOCK):
            self._beginning = self._beginning or block[:_LONGEST_MARK]
            for entry in self._parser.entries(block):
                if entry.kind is _FRAME and entry.line > 1:
                    readable = True
                else:
                    readable = self._note(entry) or readable
                yield entry
            if tick:
                tick()
        self._torn = self._parser.torn()
        last, self.damage.torn = self._parser.finish()
        if last:
            readable = self._note(last) or readable
            self._torn = b""
            yield last
        if not readable:
            raise Unreadable(f"{self.name} {self._why()}")

    def _note(self, entry: Entry) -> bool:
        if entry.line == 1 and entry.kind not in (EntryKind.HEADER, EntryKind.DAMAGED):
            self.damage.add(1, "is not a header: the trace has no id, start time or agent")
        if entry.kind is EntryKind.DAMAGED:
            self.damage.add(entry.line, entry.problem or "cannot be read")
            return False
        if entry.kind is EntryKind.GAP and (gap := Gap.of(value_or_none(entry.data))).is_damage:
            self.damage.add(entry.line, f"replaces {gap.bytes} lost bytes: {gap.reason}")
        return entry.kind is not EntryKind.UNKNOWN

    def _why(self) -> str:
        if not self._beginning and isinstance(self._stream, Lines) and self._stream.is_capture:
            return "is a capture without a header: its recorder was killed as it began, or it was cut"
        if not self._beginning:
            return "is empty"
        for mark, packed in _PACKED.items():
            if self._beginning.startswith(mark):
                return f"is a {packed} file, not a trace: unpack it first"
        if not self.damage.lines:
            return "is not a trace: no line is a valid entry"
        line, problem = self.damage.lines[0]
        return f"is not a trace: line {line} {problem}, and no other line is a valid entry"
