"""An empty database, made beside its place and moved there whole.

A disk that fills while DuckDB makes a database leaves a piece of one, which it never opens again. Here the
piece stays in a directory that is removed. Pieces that earlier versions left are replaced.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from acp_trace.store import headers
from acp_trace.store.aside import LOGS, aside
from acp_trace.store.errors import StoreBusy, StoreError

#: Occurs in each of them behind a checksum of eight bytes.
_MAGIC = slice(8, 12), b"DUCK"
_PATIENCE_S = 15.0
#: The system's locks are between processes.
_lock = threading.Lock()


def is_missing(path: Path) -> bool:
    """Whether there is no database: no file, or a piece of one that was never finished."""
    try:
        return path.stat().st_size < headers.SIZE and path.is_file() and _is_piece(path.read_bytes())
    except FileNotFoundError:
        return True


def make(path: Path, fill: Callable[[Path], None]) -> None:
    """Makes a database where `is_missing`; where another process was faster, its own one stays.

    `fill` makes it, in a file of the given name, and closes it. Raises StoreError and OSError.
    """
    with aside(path) as directory:
        new = directory / path.name
        fill(new)
        ends = time.monotonic() + _PATIENCE_S
        while True:
            with _lock:
                if _moved(new, path):
                    return
            if time.monotonic() > ends:
                raise StoreBusy(
                    f"the store is being made by another process; nothing is lost, try again: {path}"
                )
            time.sleep(0.01)


def _moved(new: Path, path: Path) -> bool:
    """Puts the new file in its place, or sees that there is a database now. False: another one is about it.

    The place is first claimed by an empty file. Only who has the lock on the piece that is there replaces it:
    it is the lock that DuckDB takes, so no other process has that file open as a database, or will use it.
    """
    target = os.path.realpath(path)
    claimed = True
    try:
        fd = os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except FileExistsError:
        if not is_missing(path):
            return True
        claimed, fd = False, os.open(target, os.O_RDWR)
    try:
        status = os.fstat(fd)
        if (
            not locked(fd)
            or os.fstat(fd).st_size >= headers.SIZE
            or not os.path.samestat(status, os.stat(target))
        ):
            return False
        if not claimed and any(_size(f"{path}{suffix}") for suffix in LOGS):
            raise StoreError(f"{path} is cut off, but there is data in {path}.wal: move both files away")
        for suffix in LOGS:  # of a database that was removed: DuckDB does the same
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        if sys.platform == "win32":  # which replaces no open file
            os.close(fd)
            fd = -1
        os.replace(new, target)
    finally:
        if fd >= 0:
            os.close(fd)
    return True


def _is_piece(data: bytes) -> bool:
    """Whether this is how a database begins, or nothing at all: no file of somebody else."""
    at, magic = _MAGIC
    return data[at] == magic or not data.strip(b"\0")


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


if sys.platform == "win32":  # pragma: no cover

    def locked(_: int) -> bool:
        """Whether no other process has the file."""
        return True  # a file that another process has open cannot be replaced

else:
    import fcntl

    def locked(fd: int) -> bool:
        """Locks a file as DuckDB does, until this process closes a descriptor of it. False: taken."""
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN):
                return False
            raise
        return True
