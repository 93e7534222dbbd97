"""Our own directory beside the database, for temporary files.

A new database is made there before it takes its place, and a query gets its database there by a name that is
gone once the database is open. The directory is on the same file system as the database, so that a rename is
enough. The process that makes a directory holds a lock in it until it is removed; the next `clear` removes
what a killed process left.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_trace.trace import lock

#: What DuckDB puts beside a database, by the same name: its write-ahead logs.
LOGS = (".wal", ".wal.recovery", ".wal.checkpoint")
_LOCK = "lock"
#: A directory is made before its lock is held: one that is younger is left alone.
_ABANDONED_S = 60


@contextmanager
def aside(database: Path) -> Iterator[Path]:
    """A fresh directory beside the database (where a link leads, if it is one), removed at the end.

    Raises OSError.
    """
    target = Path(os.path.realpath(database))
    directory = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
    fd = -1
    try:
        fd = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        with contextlib.suppress(OSError):  # a file system without locks: `clear` goes by the age alone
            lock.hold(fd)
        yield directory
    finally:
        if fd >= 0:
            os.close(fd)
        shutil.rmtree(directory, ignore_errors=True)


def clear(database: Path) -> None:
    """Remove the directories that killed processes left. Directories in use stay."""
    target = Path(os.path.realpath(database))
    with contextlib.suppress(OSError):
        for entry in os.scandir(target.parent):
            if not entry.name.startswith(_prefix(target)) or not entry.is_dir(follow_symlinks=False):
                continue
            status = os.lstat(entry.path)
            old = stat.S_ISDIR(status.st_mode) and time.time() - status.st_mtime > _ABANDONED_S
            if old and not lock.held(Path(entry.path, _LOCK)):
                shutil.rmtree(entry.path, ignore_errors=True)


@contextmanager
def by_another_name(database: Path) -> Iterator[Path]:
    """A second name for the database and its logs, in a directory of our own.

    Once the database is open, `forget` takes the names away again: then no path leads to its files.
    The path itself if that is impossible: a file system without hard links, or one that is read-only.
    """
    with contextlib.ExitStack() as stack:
        try:
            name = stack.enter_context(aside(database)) / database.name
            _link(database, name)
        except FileNotFoundError:
            raise
        except OSError:
            name = database
        yield name


def forget(database: Path, name: Path) -> bool:
    """Takes away what `by_another_name` made, now that it is open.

    False if it was not what the database has now: a log came or went between the two links.
    """
    if name == database:
        return True
    now = [_identity(f"{database}{suffix}") for suffix in ("", *LOGS)]
    then = [_identity(f"{name}{suffix}") for suffix in ("", *LOGS)]
    for suffix in ("", *LOGS):
        with contextlib.suppress(OSError):  # Windows keeps the names of open files
            os.unlink(f"{name}{suffix}")
    return now == then


def _link(database: Path, name: Path) -> None:
    target = os.path.realpath(database)
    os.link(target, name)
    for suffix in LOGS:
        with contextlib.suppress(FileNotFoundError):
            os.link(f"{database}{suffix}", f"{name}{suffix}", follow_symlinks=False)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _prefix(database: Path) -> str:
    return f".{database.name}-"
