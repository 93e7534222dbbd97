"""The client's lines of a trace file that is still being written, without the price of the agent's.

In a flood nearly all bytes are the agent's: these are passed over as blocks, and never cut into lines. What
was lost or damaged is not told here (`tail` reads everything).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from acp_trace.trace import lock
from acp_trace.trace.capture_blocks import Blocks
from acp_trace.trace.capture_layout import CLIENT, MAGIC, MAIN, RECORDER
from acp_trace.trace.encode import Framer
from acp_trace.trace.entries import EntryKind, Header
from acp_trace.trace.jsontext import value_or_none
from acp_trace.trace.parse import Parser

_PIECE = 1 << 20


class ClientTail:
    """Reads what is new. The file may be moved or removed meanwhile: it stays open.

    `started_at`: when the trace began, as its header says, once that was read; else empty. `is_ended`:
    whether the trace says how the agent ended.
    """

    def __init__(self, path: Path) -> None:
        self.started_at, self.is_ended = "", False
        self._stream = open(path, "rb", buffering=0)
        self._is_capture: bool | None = None
        self._begin = b""
        self._blocks, self._framer, self._parser = Blocks(), Framer(), Parser()

    def new(self) -> Iterator[tuple[int, bytes]]:
        """The lines since the last call, each with its time: ns since the trace began.

        Raises OSError, NewerCapture and NewerFormat.
        """
        while data := self._stream.read(_PIECE):
            if self._is_capture is None:
                self._begin += data
                if len(self._begin) < len(MAGIC) and MAGIC.startswith(self._begin):
                    continue
                data, self._begin = self._begin, b""
                self._is_capture = data.startswith(MAGIC)
            yield from self._in_blocks(data) if self._is_capture else self._in_lines(data)

    def _in_blocks(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for block in self._blocks.feed(data):
            if block.stream == CLIENT and block.connection == MAIN:
                for line in self._framer.feed(block.data).split(b"\n")[:-1]:
                    yield block.t, line
            elif block.stream == RECORDER:
                self._read_own(block.data)

    def _in_lines(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        for entry in self._parser.feed(data):
            if entry.kind is EntryKind.FRAME and entry.sender == "client":
                yield entry.t, entry.data
            elif entry.kind is EntryKind.HEADER:
                self._read_own(entry.data)
            self.is_ended = self.is_ended or entry.kind is EntryKind.END

    def _read_own(self, data: bytes) -> None:
        """What the recorder itself says: its header, gaps, and the footer."""
        said = value_or_none(data)
        if isinstance(said, dict):
            self.started_at = self.started_at or Header.of(said).started_at
            self.is_ended = self.is_ended or "end" in said

    def dead(self) -> bool:
        """Whether nobody writes any more. Ask before `new`, so that nothing is missed between."""
        return not lock.is_held(self._stream.fileno())

    def close(self) -> None:
        """Lets go of the file."""
        self._stream.close()
