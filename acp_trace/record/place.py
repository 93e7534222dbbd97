"""Where a recorder puts its trace file, so that no reader ever sees half a header.

Made under another name, locked, filled, then given its own name by a hard link, which fails where `rename`
would replace: so a file in the spool is either locked by its recorder or its recorder is dead, and of any
number of recorders with one `--out` each keeps its file. Nothing is ever overwritten: with `--out`, a file
in the way becomes `NAME.1.jsonl`, `NAME.2.jsonl` …; `--out` may also name a device. Everything that can go
wrong is an OSError, which the sink takes for a loss and tries again.
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
from acp_trace.trace.names import CAPTURE, make_private, snapshot_beside, spool_directory

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)

#: What `link` says on a file system without hard links (FAT, some network and user-space ones).
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
#: So long is the turn of others awaited at most, in ms; each takes microseconds.
_NAMING_TRIES = 200
#: How long a name may be, in bytes, where the system does not tell.
_LONGEST_NAME = 255

#: Writes what a new file begins with: the header, or all that a deleted one held.
Fill = Callable[[int], None]


def in_spool(trace_id: str, fill: Fill) -> tuple[int, str]:
    """A new file in the spool directory, open, and its path. Raises OSError.

    The directory is made if it is missing. The file is named after the trace; with a number behind it if
    there is such a file already.
    """
    spool = spool_directory()
    make_private(spool)
    first = path = os.path.join(spool, trace_id + CAPTURE)
    hidden = _hidden(path, trace_id)
    _remove(hidden)
    for number in count(1):
        try:
            return _made(path, hidden, fill)
        except FileExistsError:  # put there by another one: the loader will tell that two have this id
            path = numbered(first, number)
    raise AssertionError


def in_file(named: str, trace_id: str, fill: Fill) -> tuple[int, str]:
    """The file of this name, open, and its path; one that already exists is kept under a number.

    An editor starts the same command again and again: the newest trace has the name that was asked
    for, and no earlier one is lost. Raises OSError.
    """
    path = os.path.join(os.getcwd(), named)
    if what := refused(path, links=True):
        raise OSError(errno.EINVAL, f"is {what}", path)
    if _is_device(path):
        return _device(path, fill)
    hidden = _hidden(path, trace_id)
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
    """While it is open, no other recorder gives names in the directory of `path`, if it has file locks."""
    try:
        directory = os.open(os.path.dirname(path), os.O_RDONLY)
    except OSError:  # Windows opens none
        yield
        return
    try:
        hold(directory, _NAMING_TRIES)
        yield
    finally:
        os.close(directory)


def numbered(path: str, number: int) -> str:
    """`NAME.jsonl` with a number: `NAME.1.jsonl`. A name that would become too long loses its end."""
    directory, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    end = f".{number}{suffix}"
    longest = _LONGEST_NAME
    if sys.platform != "win32":
        with contextlib.suppress(OSError, ValueError):  # no such directory; the system does not say
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
    """A character device: nothing to keep, nothing to lock, and no waiting for the other end of a line."""
    fd = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        set_blocking(fd, True)
        fill(fd)
    except OSError as error:
        error.filename = path
        os.close(fd)
        raise
    return fd, path


def _hidden(path: str, trace_id: str) -> str:
    """Where a file is made before it gets its name."""
    return os.path.join(os.path.dirname(path), f".{trace_id}.new")


def _made(path: str, hidden: str, fill: Fill) -> tuple[int, str]:
    """The file `path`, filled, open and locked. Raises FileExistsError if there is one, and OSError.

    On a file system without hard links, and on Windows, which renames no open file, it has its name at
    once: then a reader may see half a header, and still nothing is overwritten.
    """
    if sys.platform != "win32":
        fd = _filled(hidden, fill, path)
        try:
            os.link(hidden, path)
        except OSError as error:
            os.close(fd)
            error.filename, error.filename2 = path, None  # what people know of
            if error.errno not in _NO_LINKS:
                raise
        else:
            return fd, path
        finally:
            _remove(hidden)
    return _filled(path, fill, path), path


def _filled(new: str, fill: Fill, path: str) -> int:
    """A new file, locked and filled; it is gone again where that fails. `path`: what errors call it."""
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
    """Gives the file that is there, if there is one, a number: the first that is free."""
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
            if not isinstance(error, FileNotFoundError):  # else another recorder kept it just now
                raise
        else:
            with contextlib.suppress(OSError):  # it has none
                os.replace(snapshot_beside(path), snapshot_beside(kept))
