"""Bytes of a capture -> its blocks, fed in any pieces. Pure; knows nothing about the contents of blocks.

A mark only appears in heads, never in the bytes of a block. So a block with another mark inside is
incomplete: its write failed half-way (a full disk), and later writes followed. Such a block is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from acp_trace.trace.capture_layout import (
    FIRST,
    HEAD_SIZE,
    MARK_SIZE,
    PREAMBLE_SIZE,
    VERSION,
    read_head,
    read_preamble,
)


class NewerCapture(Exception):
    """The capture was written in a version that this acp-trace does not know."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


class Block(NamedTuple):
    """The bytes that a recorder read at once.

    `t`: ns since the trace began, when the read returned. `skipped`: bytes of the file before this block that
    belong to no block.
    """

    t: int
    stream: int
    connection: int
    data: bytes
    skipped: int = 0


class Blocks:
    """Cuts a capture into its blocks. `skipped`: bytes so far that belong to no whole block."""

    def __init__(self) -> None:
        self.skipped = 0
        self._buffer = bytearray()
        self._mark = b""

    def feed(self, data: bytes) -> list[Block]:
        """Return the blocks that `data` completes. Raises NewerCapture."""
        self._buffer += data
        if not self._mark:
            if len(self._buffer) < PREAMBLE_SIZE:
                return []
            version, self._mark = read_preamble(self._buffer)
            if version > VERSION:
                raise NewerCapture(version)
            del self._buffer[:PREAMBLE_SIZE]
        return self._cut(over=False)

    def finish(self) -> list[Block]:
        """Return the blocks behind an unfinished one, at the end of a file that no longer grows."""
        if not self._mark:
            return []
        blocks = self._cut(over=True)
        # A beginning like that of a block is an unfinished write, whose contents were never read.
        buffer, mark, size = self._buffer, self._mark, len(self._buffer)
        begun = buffer.find(mark)
        if begun < 0:
            ends = range(max(size - MARK_SIZE + 1, 0), size)
            begun = next((at for at in ends if mark.startswith(bytes(buffer[at:]))), size)
        self.skipped += begun
        self._buffer.clear()
        return blocks

    def _cut(self, *, over: bool) -> list[Block]:
        cutting = _Cutting(self._buffer, self._mark, self.skipped, over=over)
        blocks = list(cutting)
        self.skipped = cutting.skipped
        del self._buffer[: cutting.at]
        return blocks


class _Cutting:
    """One pass over a buffer: `at` is its position."""

    def __init__(self, buffer: bytearray, mark: bytes, skipped: int, *, over: bool) -> None:
        self.at = 0
        self.skipped = skipped
        self._buffer = buffer
        self._mark = mark
        self._over = over

    def __iter__(self) -> Iterator[Block]:
        buffer, mark = self._buffer, self._mark
        with memoryview(buffer) as view:
            while len(buffer) - self.at >= HEAD_SIZE:
                first, t, length, stream, connection = read_head(buffer, self.at)
                start = self.at + HEAD_SIZE
                end = start + length
                whole = self._is_whole(start, end) if first == mark else False
                if whole is None:
                    return
                if whole:
                    yield Block(t, stream, connection, bytes(view[start:end]), self.skipped)
                    self.at = end
                elif not self._pass_over():
                    return

    def _is_whole(self, start: int, end: int) -> bool | None:
        """Whether a block has these bytes; None: unknown until more of the file is there."""
        buffer, mark = self._buffer, self._mark
        if buffer.find(mark, self.at + MARK_SIZE, end + MARK_SIZE - 1) >= 0:
            return False
        if end > len(buffer):
            return False if self._over else None
        if self._over or buffer.find(FIRST, max(start, end - MARK_SIZE + 1), end) < 0:
            return True
        # A mark may begin in the last bytes and continue behind them.
        parts = range(max(start, len(buffer) - MARK_SIZE + 1), end)
        return None if any(mark.startswith(bytes(buffer[at:])) for at in parts) else True

    def _pass_over(self) -> bool:
        """Go to the next mark and return whether there is one. A possible beginning of a mark is kept."""
        following = self._buffer.find(self._mark, self.at + 1)
        if following >= 0:
            end = following
        elif self._over:  # see `finish`
            return False
        else:
            end = max(len(self._buffer) - MARK_SIZE + 1, self.at)
        self.skipped += end - self.at
        self.at = end
        return following >= 0
