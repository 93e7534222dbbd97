"""Whether DuckDB has opened the database as it is now, or as it was a moment before.

DuckDB 2.0 reads the headers of a database, closes it, opens it again and locks it, and does not read them
again. It misses what another process has committed between the two: it reads blocks that are no longer used,
and its writes replace those of the other process. So code that opens a database reads its headers before and,
once it is locked, after. Each checkpoint increments a number in them, so if both are equal, DuckDB has seen
the same. Nothing here opens a database.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from acp_trace.system.files import NONBLOCK, pread

#: A main header and two that take turns, of 4096 bytes each: a shorter file holds no table.
SIZE = 3 * 4096

#: When a process closes any descriptor of a file, the system drops all its locks on that file (POSIX), also
#: those of DuckDB. So they are kept until this process no longer has that file open.
_lock = threading.Lock()
_open: dict[tuple[int, int], _Kept] = {}


@dataclass(slots=True)
class _Kept:
    fds: list[int] = field(default_factory=list)
    users: int = 0


@contextmanager
def watched(path: Path) -> Iterator[Callable[[], bool]]:
    """A question to ask later: whether the headers are the same as now.

    The block must last until the database is closed. The answer is always yes for a file that cannot be read,
    which DuckDB reports itself, and on Windows, where DuckDB opens no file that another process has open.
    """
    key = _key(path)
    if key is None:
        yield lambda: True
        return
    try:
        fd = _open[key].fds[0]
        before = pread(fd, SIZE, 0)
        yield lambda: pread(fd, SIZE, 0) == before
    finally:
        _release(key)


def _key(path: Path) -> tuple[int, int] | None:
    """Which file that is, once there is a descriptor of it."""
    if os.name != "posix":
        return None
    with _lock:
        try:
            key = _identity(os.stat(path))
            if key not in _open:
                fd = os.open(path, os.O_RDONLY | NONBLOCK)
                key = _identity(os.fstat(fd))  # another file may have taken its place
                _open.setdefault(key, _Kept()).fds.append(fd)
        except OSError:
            return None
        _open[key].users += 1
        return key


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _release(key: tuple[int, int]) -> None:
    with _lock:
        kept = _open[key]
        kept.users -= 1
        if not kept.users:
            del _open[key]
            for fd in kept.fds:
                os.close(fd)
