"""The parts of one page, made one after the other as far as they are asked for, and kept packed in a file.

The file has no name, and goes when it is closed: a page of a million frames takes disk, not memory. Who asks
for a part that is made gets it at once, also while another one is being made.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

from acp_trace.report.page.html import packed
from acp_trace.report.page.parts import Part


class Dropped(Exception):
    """Somebody let go of these parts."""


class KeptParts:
    """The parts that `parts` yields, by name. `close_source`: called when all are made, or no longer wanted.

    `store`: returns the context that is held while a part is made, if that reads the store.
    """

    def __init__(
        self,
        parts: Iterator[Part],
        close_source: Callable[[], None] = lambda: None,
        store: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._parts = parts
        self._close_source = close_source
        self._store = store
        self._file = tempfile.TemporaryFile()
        self._places: dict[str, tuple[int, int]] = {}
        self._is_whole = self._is_closed = False
        self._making = threading.Lock()
        self._lock = threading.Lock()  #: of the file and the places; held for a moment

    def get(self, name: str) -> bytes | None:
        """A part as the page reads it; None if there is none. Raises Dropped, and like what makes them."""
        if (kept := self._kept(name)) is not None:
            return kept
        with self._making:
            while (kept := self._kept(name)) is None and not self._is_whole:
                self._make()
        return kept

    def close(self) -> None:
        """Lets go of everything, once the part that is being made is made."""
        with self._making, self._lock:
            self._end()
            self._is_closed = True
            self._file.close()

    def _kept(self, name: str) -> bytes | None:
        with self._lock:
            if self._is_closed:
                raise Dropped
            if name not in self._places:
                return None
            offset, size = self._places[name]
            self._file.seek(offset)
            return self._file.read(size)

    def _make(self) -> None:
        try:
            with self._store():
                part = next(self._parts, None)
        except BaseException:
            self._end()
            raise
        if part is None:
            self._end()
            return
        data = packed(part.data)
        with self._lock:
            offset = self._file.seek(0, 2)
            self._file.write(data)
            self._places[part.name] = offset, len(data)

    def _end(self) -> None:
        if not self._is_whole:
            self._is_whole = True
            self._close_source()
