"""What a stream gives, read by a thread before it is asked for: its writer is not kept waiting.

How much may wait is counted in bytes. Nothing here knows what the bytes are.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Windows sees no Ctrl-C while a thread waits without an end.
_LOOK_S = 0.1


class _Waiting:
    """Pieces between two threads. `most`: the number of waiting bytes from which on there is no room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._changed = threading.Condition()
        self._is_over = False

    def has_room(self) -> bool:
        """Wait for room. Return whether more is wanted."""
        with self._changed:
            self._changed.wait_for(lambda: self._size < self._most or self._is_over)
            return not self._is_over

    def put(self, piece: bytes) -> None:
        """Adds a piece."""
        with self._changed:
            self._pieces.append(piece)
            self._size += len(piece)
            self._changed.notify_all()

    def get(self) -> bytes:
        """The next piece, when there is one."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._pieces, _LOOK_S):
                pass
            piece = self._pieces.popleft()
            self._size -= len(piece)
            self._changed.notify_all()
            return piece

    def end(self) -> None:
        """No more is wanted."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()


@contextmanager
def read_ahead(read: Callable[[], bytes], most: int) -> Iterator[Callable[[], bytes]]:
    """Gives what `read` gives: piece by piece, an empty one at the end, after which nothing is read.

    `read` is called in a thread, and not while `most` bytes wait. An error that it raises is the end. When
    the block ends, what `read` waits for must come, or have its end.
    """
    waiting = _Waiting(most)

    def run() -> None:
        piece = b"not yet"
        while piece and waiting.has_room():
            try:
                piece = read()
            except Exception:  # of memory, where a length is none
                piece = b""
            waiting.put(piece)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield waiting.get
    finally:
        waiting.end()
        thread.join()
