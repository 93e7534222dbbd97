"""The file to which the store's path leads while it is opened.

A database that is being made takes the place of what an earlier version left unfinished (`make`). A process
that opened that piece just before, and has not locked it yet, would write to a file that cannot be found
again: so code that opens the store checks afterwards that the file is still there. Nothing here opens a
database.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_trace.store.errors import StoreError

#: Such a descriptor opens nothing, and closing it drops none of our locks; but while it is held, the system
#: reuses the file's number for no other file. A system without it (macOS) never reuses numbers.
_NAME_ONLY: int | None = getattr(os, "O_PATH", None)
_KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@contextmanager
def watched(path: Path) -> Iterator[Callable[[], bool]]:
    """A question to ask later: whether the path still leads to the file that it leads to now.

    Raises FileNotFoundError, StoreError for what is not a file, and OSError.
    """
    fd = -1 if _NAME_ONLY is None else os.open(path, _NAME_ONLY)
    try:
        before = os.stat(path) if fd < 0 else os.fstat(fd)
        _must_be_file(path, before)
        log = Path(f"{path}.wal")
        try:
            _must_be_file(log, os.stat(log))
        except FileNotFoundError:
            pass

        def is_same() -> bool:
            try:
                return os.path.samestat(os.stat(path), before)
            except OSError:
                return False

        yield is_same
    finally:
        if fd >= 0:
            os.close(fd)


def _must_be_file(path: Path, status: os.stat_result) -> None:
    """Refuse what is not a file: DuckDB opens anything, and would wait for it or write into it."""
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((name for of_kind, name in _KINDS if of_kind(status.st_mode)), "something else")
    raise StoreError(f"the store must be a file, but {path} is {kind}: move it away")
