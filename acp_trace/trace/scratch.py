"""Directories for the duration of one command, among the system's temporary files, and abandoned ones.

Each holds a marker that its process keeps locked. The system drops the lock when that process ends, however
it ends: a directory whose marker is not locked is abandoned, and the next command that makes one removes it.
Without file locks (some file systems, Windows) each process removes its own, and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_trace.system import files
from acp_trace.trace import lock
from acp_trace.trace.emptying import CAN_EMPTY, empty, entries

MARKER = "in-use"
_PREFIX = "acp-trace-"
_NAME = re.compile(rf"\.?{_PREFIX}[a-z0-9_]{{8}}")
#: Seconds that a process may take to make its directory.
_MAKING_S = 60
_TEXT = b"acp-trace: this directory is in use for as long as a process holds a lock on this file\n"


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a new directory for its owner only; remove it at the end. Raises OSError if none can be made.

    The caller owns its contents, except `MARKER`, and should make directories of its own inside.
    """
    sweep()
    # Under a name that other processes do not match, until its marker is locked.
    hidden = Path(os.path.realpath(tempfile.mkdtemp(prefix=f".{_PREFIX}")))
    made, marker, directory = hidden, None, None
    try:
        directory = _open_directory(hidden) if CAN_EMPTY else None
        marker = os.open(hidden / MARKER, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(marker, _TEXT)
        with contextlib.suppress(OSError):
            lock.hold(marker)
            final = hidden.with_name(hidden.name[1:])
            os.rename(hidden, final)
            made = final
        yield made
    finally:
        _remove(made, directory)
        for fd in (marker, directory):
            if fd is not None:
                os.close(fd)


@contextmanager
def naming_directory() -> Iterator[None]:
    """Add the temporary directory to an error that names no file, such as a full disk.

    The message then shows that TMPDIR can name another one. Raises OSError.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = os.path.realpath(tempfile.gettempdir())
        raise


def sweep() -> None:
    """Remove the directories of this user whose processes are gone. Never raises, follows no link."""
    if not CAN_EMPTY:
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _sweep_one(entry.path)


def _sweep_one(path: str) -> None:
    """Remove one abandoned directory. Raises OSError if it is something else, or in use."""
    directory = _open_directory(path)
    try:
        directory_status = os.fstat(directory)
        if directory_status.st_uid != files.user():
            return
        if os.path.basename(path).startswith("."):
            if time.time() - directory_status.st_mtime < _MAKING_S:
                return
            with contextlib.suppress(OSError):  # if not even the marker was made
                os.rmdir(path)
        marker = os.open(MARKER, os.O_RDWR | files.NOFOLLOW | files.NONBLOCK, dir_fd=directory)
        try:
            status = os.fstat(marker)
            if (
                stat.S_ISREG(status.st_mode)
                and status.st_uid == files.user()
                and os.read(marker, 200) == _TEXT
            ):
                lock.hold(marker)
                empty(directory, MARKER)
                _end(path, directory)
        finally:
            os.close(marker)
    finally:
        os.close(directory)


def _remove(path: Path, directory: int | None) -> None:
    """Remove a directory of this process, as far as that is possible.

    `directory`: its descriptor since it was made. By now, a directory of the user may be at its path.
    """
    if directory is None:  # pragma: no cover  (Windows)
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        empty(directory, MARKER)
        _end(path, directory)


def _open_directory(path: str | Path) -> int:
    return os.open(path, os.O_RDONLY | files.DIRECTORY | files.NOFOLLOW)


def _end(path: str | Path, directory: int) -> None:
    """Remove an empty directory. The marker goes last, and stays while anything else does.

    So the next sweep also finds the rest of a process that was killed meanwhile: without a marker its hidden
    name identifies it. If the path now leads to another directory, that stays. Raises OSError.
    """
    if not os.path.samestat(os.lstat(path), os.fstat(directory)):
        return
    if [name for name, _ in entries(directory)] == [MARKER]:
        above, name = os.path.split(path)
        path = os.path.join(above, f".{name.removeprefix('.')}")
        os.rename(os.path.join(above, name), path)
        os.unlink(MARKER, dir_fd=directory)
    os.rmdir(path)
