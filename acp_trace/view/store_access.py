"""Access to the store: many readers at once, or one loader. DuckDB lets a process do one of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StoreAccess:
    """Readers wait for a load, but a load does not wait for readers: it can be done another time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self.is_loading = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While the store is read; a reader may enter again."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_loading)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1

    @contextmanager
    def loading(self) -> Iterator[bool]:
        """While something is loaded. False: not now, the store is in use."""
        with self._changed:
            is_free = not self._readers and not self.is_loading
            self.is_loading = self.is_loading or is_free
        try:
            yield is_free
        finally:
            if is_free:
                with self._changed:
                    self.is_loading = False
                    self._changed.notify_all()
