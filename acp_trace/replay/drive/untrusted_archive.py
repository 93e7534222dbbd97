"""A tar archive that anyone may have written, read forward only, in pieces, and up to a limit.

A gzip stream of one megabyte can hold a gigabyte. So decompressed bytes are counted, each read is short, and
finished members are forgotten. The members have no meaning here.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from acp_trace.trace.inflate import GrowthLimit, GrowthRoom, gzip, inflated

#: Bytes of the longest read: of a member's content, or of a header, which can list thousands of names.
_LONGEST = 8 << 20
_BLOCK = 1 << 16  #: bytes of one read, packed or not
#: Errors for a file that is not such an archive; a chain of headers can be deeper than Python's stack.
_BROKEN = (tarfile.TarError, EOFError, ValueError, RecursionError, OverflowError)


class EndsEarly(Exception):
    """What follows the members so far is neither a member nor the end of an archive."""


@contextmanager
def opened(path: Path, most: int) -> Iterator[tarfile.TarFile]:
    """Open the archive in a file, of which at most `most` bytes are decompressed.

    Raises OSError, with the name of the file, if it is not one; in the block also TooMuch, beyond the limit.
    """
    try:
        with open(path, "rb") as stream:
            forward: Any = _Forward(stream, most)
            with tarfile.open(fileobj=forward, mode="r:") as archive:
                yield archive
    except _BROKEN as error:
        raise OSError(22, f"is not a workspace snapshot ({error})", str(path)) from None


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the members, one after the other. Each must be read before the next one. Raises EndsEarly.

    tarfile treats anything that it cannot read as the end, such as the data after a wrong size in a header.
    """
    forward: Any = archive.fileobj
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]
        forward.begin(None)
        yield member
        forward.begin(_LONGEST)
    if forward.latest != bytes(tarfile.BLOCKSIZE):
        raise EndsEarly


class _Forward:
    """A gzip stream that does not go back. It begins with a header."""

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._left: int | None = _LONGEST
        layers = [(gzip(), GrowthRoom(GrowthLimit(most, 0)))]
        blocks = iter(lambda: stream.read(_BLOCK), b"")
        self._pieces = (piece for block in blocks for piece in inflated(layers, block))
        self._at, self._ready = 0, bytearray()
        self.latest = b""  #: the last bytes of a header, up to the size of a block

    def begin(self, most: int | None) -> None:
        """Limit what is read from here on to `most` bytes, for a header. None: it is content."""
        self._left = most

    def tell(self) -> int:
        return self._at

    def read(self, size: int) -> bytes:
        if self._left is not None:  # from 3.15 on, Python reads a header in pieces
            self._left -= size
        if not 0 <= size <= _LONGEST or (self._left is not None and self._left < 0):
            raise tarfile.ReadError("a header is too long")
        data = self._taken(size)
        if self._left is not None:
            self.latest = (self.latest + data)[-tarfile.BLOCKSIZE :]
        return data

    def _taken(self, size: int) -> bytes:
        while len(self._ready) < size and (piece := next(self._pieces, b"")):
            self._ready += piece
        data = bytes(self._ready[:size])
        del self._ready[:size]
        self._at += len(data)
        return data

    def seek(self, position: int, _: int = 0) -> int:
        if position < self._at:
            raise tarfile.ReadError("it leads back")
        while self._at < position and self._taken(min(_BLOCK, position - self._at)):
            pass
        return self._at
