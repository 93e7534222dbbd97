"""Bytes of a capture -> its blocks, fed in any pieces. Pure; knows nothing of what the blocks say.

A block counts when the next one, or the end of the file, follows on it. Where neither does, a write failed
half-way (a full disk): the rest of that block is passed over, up to the next mark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from acp_trace.trace.capture import (
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
    """What one read of a recorder gave. `t`: ns since the trace began, when the read returned."""

    t: int
    stream: int
    connection: int
    data: bytes


class Blocks:
    """Cuts a capture into its blocks. `skipped`: bytes so far that belong to no whole block."""

    def __init__(self) -> None:
        self.skipped = 0
        self._buffer = bytearray()
        self._mark = b""

    def feed(self, data: bytes) -> list[Block]:
        """The blocks that `data` completes. Raises NewerCapture."""
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
        """What stands behind a block that was never finished, at the end of a file that grows no more."""
        return self._cut(over=True) if self._mark else []

    def _cut(self, *, over: bool) -> list[Block]:
        cutting = _Cutting(self._buffer, self._mark, over=over)
        blocks = list(cutting)
        self.skipped += cutting.skipped
        del self._buffer[: cutting.at]
        return blocks


class _Cutting:
    """One pass over a buffer: `at` is how far it came."""

    def __init__(self, buffer: bytearray, mark: bytes, *, over: bool) -> None:
        self.at = 0
        self.skipped = 0
        self._buffer = buffer
        self._mark = mark
        self._over = over

    def __iter__(self) -> Iterator[Block]:
        buffer, mark = self._buffer, self._mark
        with memoryview(buffer) as view:
            while len(buffer) - self.at >= HEAD_SIZE:
                found, t, length, stream, connection = read_head(buffer, self.at)
                start = self.at + HEAD_SIZE
                end = start + length
                if found != mark:
                    whole = False
                elif end > len(buffer):
                    if not self._over:
                        return
                    whole = False
                else:
                    whole = mark.startswith(bytes(view[end : end + MARK_SIZE]))
                if whole:
                    yield Block(t, stream, connection, bytes(view[start:end]))
                    self.at = end
                elif not self._pass_over():
                    return

    def _pass_over(self) -> bool:
        """Goes on to the next mark; whether there is one. What may be the beginning of one is left."""
        following = self._buffer.find(self._mark, self.at + 1)
        if following < 0 and self._over:
            if not self._buffer.startswith(self._mark, self.at):
                self.skipped += len(self._buffer) - self.at
            return False  # else the last write was not finished: nobody saw what it held
        end = following if following >= 0 else max(len(self._buffer) - MARK_SIZE + 1, self.at)
        self.skipped += end - self.at
        self.at = end
        return following >= 0
