"""Where a recorder puts its trace file, so that no reader ever sees half a header.

A file is made under another name, locked, filled, then given its own name by a hard link, which fails if
`rename` would replace: so a file in the spool is either locked by its recorder or its recorder is dead, and
of several recorders with one `--out`, each keeps its file. Nothing is ever overwritten: with `--out`, an
existing file becomes `NAME.1.jsonl`, `NAME.2.jsonl` …; `--out` may also name a device. Every failure is an
OSError, which the sink treats as a loss and retries.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from itertools import count

from acp_trace.record.descriptor import hold
from acp_trace.record.outfile import refused
from acp_trace.system.pipes import set_blocking
from acp_trace.trace.names import CAPTURE, make_private, snapshot_beside, spool_directory, unfinished

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)

#: Errors of `link` on a file system without hard links (FAT, some network and user-space ones).
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
#: Most ms to wait for the turn of other recorders; each turn takes microseconds.
_NAMING_TRIES = 200
#: Longest name, in bytes, if the system does not report it.
_LONGEST_NAME = 255

#: Writes the beginning of a new file: the header, or everything that a deleted file held.
Fill = Callable[[int], None]


def in_spool(trace_id: str, fill: Fill) -> tuple[int, str]:
    """Return a new open file in the spool directory, and its path. Raises OSError.

    The directory is made if it is missing. The file is named after the trace, with a number after it if the
    name is taken.
    """
    spool = spool_directory()
    make_private(spool)
    first = path = os.path.join(spool, trace_id + CAPTURE)
    hidden = unfinished(path, trace_id)
    _remove(hidden)
    for number in count(1):
        try:
            return _made(path, hidden, fill)
        except FileExistsError:  # of another recorder: the loader reports two traces with one id
            path = numbered(first, number)
    raise AssertionError


def in_file(named: str, trace_id: str, fill: Fill) -> tuple[int, str]:
    """Return the file of this name, open, and its path; an existing file is kept under a number.

    An editor starts the same command repeatedly: the newest trace has the requested name, and earlier traces
    are kept. Raises OSError.
    """
    path = os.path.join(os.getcwd(), named)
    if what := refused(path, links=True):
        raise OSError(errno.EINVAL, f"is {what}", path)
    if _is_device(path):
        return _device(path, fill)
    hidden = unfinished(path, trace_id)
    _remove(hidden)
    while True:
        with naming(path):
            _keep(path)
        try:
            return _made(path, hidden, fill)
        except FileExistsError:  # another recorder was faster: its file is kept in its turn
            continue


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """While this context is open, no other recorder names files beside `path`, if file locks exist."""
    try:
        directory = os.open(os.path.dirname(path), os.O_RDONLY)
    except OSError:  # Windows does not open directories
        yield
        return
    try:
        hold(directory, _NAMING_TRIES)
        yield
    finally:
        os.close(directory)


def numbered(path: str, number: int) -> str:
    """Return `NAME.jsonl` with a number: `NAME.1.jsonl`. The end of a name that is too long is cut."""
    directory, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    end = f".{number}{suffix}"
    longest = _LONGEST_NAME
    if sys.platform != "win32":
        with contextlib.suppress(OSError, ValueError):  # no such directory, or no limit reported
            longest = os.pathconf(directory, "PC_NAME_MAX")
    while stem and len(os.fsencode(stem + end)) > longest:
        stem = stem[:-1]
    return os.path.join(directory, stem + end)


def _is_device(path: str) -> bool:
    try:
        return stat.S_ISCHR(os.stat(path).st_mode)
    except OSError:
        return False


def _device(path: str, fill: Fill) -> tuple[int, str]:
    """Open a character device: nothing to keep or lock, and without waiting for the other end of a line."""
    fd = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        set_blocking(fd, True)
        fill(fd)
    except OSError as error:
        error.filename = path
        os.close(fd)
        raise
    return fd, path


def _made(path: str, hidden: str, fill: Fill) -> tuple[int, str]:
    """Return the file `path`, filled, open and locked. Raises FileExistsError if it exists, and OSError.

    On a file system without hard links, and on Windows, which does not rename open files, it has its name at
    once: then a reader may see half a header, but still nothing is overwritten.
    """
    if sys.platform != "win32":
        fd = _filled(hidden, fill, path)
        try:
            os.link(hidden, path)
        except OSError as error:
            os.close(fd)
            error.filename, error.filename2 = path, None  # the path that users know
            if error.errno not in _NO_LINKS:
                raise
        else:
            return fd, path
        finally:
            _remove(hidden)
    return _filled(path, fill, path), path


def _filled(new: str, fill: Fill, path: str) -> int:
    """Make a new file, locked and filled; it is deleted again on failure. `path`: its name in errors."""
    try:
        fd = os.open(new, _NEW, 0o600)
        try:
            hold(fd)
            fill(fd)
        except (OSError, MemoryError):
            with contextlib.suppress(OSError):
                if os.path.samestat(
                    os.fstat(fd), os.lstat(new)
                ):  # else another recorder has this name by now
                    os.unlink(new)
            os.close(fd)
            raise
    except OSError as error:
        error.filename = path
        raise
    return fd


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _keep(path: str) -> None:
    """Rename an existing file to the first free number."""
    for number in count(1):
        if not os.path.lexists(path):
            return
        kept = numbered(path, number)
        try:
            os.close(os.open(kept, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            continue
        try:
            os.replace(path, kept)
        except OSError as error:
            _remove(kept)
            if not isinstance(error, FileNotFoundError):  # else another recorder has just kept it
                raise
        else:
            with contextlib.suppress(OSError):  # there is no snapshot
                os.replace(snapshot_beside(path), snapshot_beside(kept))
