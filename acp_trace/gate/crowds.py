"""What many silent connections may take from a listener: places and open files. Raises the limit of files.

Anyone on this machine can connect to a port of ours, say nothing, and stay. Each such connection is an open
file, and systems often allow a process only 1,024 of them. At that limit, no other client is served. Real
clients send a request as soon as they are connected, so the connection that has waited longest is ended.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable

#: Files that a process may have open, if its system allows that number. One machine needs no more.
_FILES = 1 << 16


class WaitingRoom:
    """Connections that have not sent a whole request yet, `most` at once. Threads may share one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: dict[object, Callable[[], object]] = {}  #: in the order in which they came

    def enter(self, end: Callable[[], object]) -> object:
        """Let a connection wait; return its place for `leave`. `end` ends the connection, and does not raise.

        If too many are waiting, the one that has waited longest is ended.
        """
        place = object()
        with self._lock:
            self._waiting[place] = end
            is_full = len(self._waiting) > self._most
        if is_full:
            self.end_oldest()
        return place

    def leave(self, place: object) -> None:
        """Note that the connection no longer waits. It may have been ended."""
        with self._lock:
            self._waiting.pop(place, None)

    def end_oldest(self) -> None:
        """End the connection that has waited longest, if any is waiting."""
        with self._lock:
            place = next(iter(self._waiting), None)
            end = None if place is None else self._waiting.pop(place)
        if end is not None:
            end()


def places(most: int) -> int:
    """Return how many connections may wait: `most`, or half of the files that this process may have open."""
    limit = _limits()[0]
    return most if limit < 0 else max(1, min(most, limit // 2))


def allow_many_files() -> None:
    """Allow this process the most open files that its user may have. For a process that only serves."""
    soft, hard = _limits()
    wanted = _FILES if hard < 0 else min(_FILES, hard)
    if sys.platform != "win32" and 0 <= soft < wanted:
        import resource

        with contextlib.suppress(ValueError, OSError):  # macOS allows less than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _limits() -> tuple[int, int]:
    """Return the limit of open files and the highest possible one; -1 means no limit."""
    if sys.platform == "win32":  # Windows has no such limit
        return -1, -1
    else:  # noqa: RET505  (or mypy calls it unreachable)
        import resource

        soft, hard = (
            -1 if limit == resource.RLIM_INFINITY else limit
            for limit in resource.getrlimit(resource.RLIMIT_NOFILE)
        )
        return soft, hard
