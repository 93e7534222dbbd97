"""An object of a place as a file that is only read: range by range, when one is needed. None is kept."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any


class ObjectFile(io.RawIOBase):
    """An object of `size` bytes. `part(start, end)` gives some of them; what it raises goes through."""

    def __init__(self, part: Callable[[int, int], bytes], size: int) -> None:
        self._part, self._size = part, size
        self._at = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where the next range begins."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to where the next range begins."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        """One range, as long as the buffer, or to the end."""
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        data = self._part(self._at, end)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
