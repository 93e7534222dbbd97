"""The client's lines of a trace file that is still being written, without the cost of the agent's lines.

In a flood nearly all bytes are the agent's: they are skipped as blocks, and never cut into lines. Losses and
damage are not reported here (`tail` reads everything).
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
    """Reads new lines. The file stays open, so it may be moved or removed meanwhile.

    `started_at`: when the trace began, according to its header; empty until that was read. `is_ended`:
    whether the trace contains the agent's end.
    """

    def __init__(self, path: Path) -> None:
        self.started_at, self.is_ended = "", False
        self._stream = open(path, "rb", buffering=0)
        self._is_capture: bool | None = None
        self._begin = b""
        self._blocks, self._framer, self._parser = Blocks(), Framer(), Parser()

    def new(self) -> Iterator[tuple[int, bytes]]:
        """Yield the client's lines since the last call, each with its time: ns since the trace began.

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
        """Read the recorder's own stream: its header, gaps, and the footer."""
        said = value_or_none(data)
        if isinstance(said, dict):
            self.started_at = self.started_at or Header.of(said).started_at
            self.is_ended = self.is_ended or "end" in said

    def dead(self) -> bool:
        """Whether the recorder has ended. Call this before `new`, so that no line is missed."""
        return not lock.is_held(self._stream.fileno())

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
