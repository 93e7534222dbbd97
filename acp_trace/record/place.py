"""Where a recorder puts its trace file, so that no reader ever sees half a header.

Made under another name, locked, filled, then given its own name by a hard link, which fails where `rename`
would replace: so a file in the spool is either locked by its recorder or its recorder is dead, and of any
number of recorders with one `--out` each keeps its file. Nothing is ever overwritten: with `--out`, a file
in the way becomes `NAME.1.jsonl`, `NAME.2.jsonl` …; `--out` may also name a device. Everything that can go
wrong is an OSError, which the sink takes for a loss and tries again.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from acp_trace.record.outfile import refused
from acp_trace.record.sink import hold
from acp_trace.trace.home import Home, make_private
from acp_trace.trace.spool import SUFFIX

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)

#: What `link` says on a file system without hard links (FAT, some network and user-space ones).
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
#: How long a name may be, in bytes, where the system does not tell.
_LONGEST_NAME = 255

#: Writes what a new file begins with: the header, or all that a deleted one held.
Fill = Callable[[int], None]


def in_spool(trace_id: str, fill: Fill) -> tuple[int, Path]:
    """A new file in the spool directory, which is made if it is missing. Raises OSError.

    Named after the trace; with a number behind it if there is such a file already.
    """
    spool = Home.find().spool
    make_private(spool)
    path = spool / (trace_id + SUFFIX)
    hidden = _hidden(path, trace_id)
    hidden.unlink(missing_ok=True)
    for number in count(1):
        try:
            return _made(path, hidden, fill)
        except FileExistsError:  # put there by another one: the loader will tell that two have this id
            path = numbered(spool / (trace_id + SUFFIX), number)
    raise AssertionError


def in_file(named: Path, trace_id: str, fill: Fill) -> tuple[int, Path]:
    """The file of this name; one that is there already is kept under a number.

    An editor starts the same command again and again: the newest trace has the name that was asked
    for, and no earlier one is lost. Raises OSError.
    """
    path = named.absolute()
    if what := refused(path, links=True):
        raise OSError(errno.EINVAL, f"is {what}", str(path))
    if _is_device(path):
        return _device(path, fill)
    hidden = _hidden(path, trace_id)
    hidden.unlink(missing_ok=True)
    while True:
        _keep(path)
        try:
            return _made(path, hidden, fill)
        except FileExistsError:  # another recorder was faster: its file is kept in its turn
            continue


def _is_device(path: Path) -> bool:
    try:
        return stat.S_ISCHR(path.stat().st_mode)
    except OSError:
        return False


def _device(path: Path, fill: Fill) -> tuple[int, Path]:
    """A character device: nothing to keep, nothing to lock, and no waiting for the other end of a line."""
    fd = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        os.set_blocking(fd, True)
        fill(fd)
    except OSError as error:
        error.filename = str(path)
        os.close(fd)
        raise
    return fd, path


def _hidden(path: Path, trace_id: str) -> Path:
    """Where a file is made before it gets its name."""
    return path.with_name(f".{trace_id}.new")


def _made(path: Path, hidden: Path, fill: Fill) -> tuple[int, Path]:
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
            error.filename, error.filename2 = str(path), None  # what people know of
            if error.errno not in _NO_LINKS:
                raise
        else:
            return fd, path
        finally:
            hidden.unlink(missing_ok=True)
    return _filled(path, fill, path), path


def _filled(new: Path, fill: Fill, path: Path) -> int:
    """A new file, locked and filled; it is gone again where that fails. `path`: what errors call it."""
    try:
        fd = os.open(new, _NEW, 0o600)
        try:
            hold(fd)
            fill(fd)
        except OSError:
            os.close(fd)
            new.unlink(missing_ok=True)
            raise
    except OSError as error:
        error.filename = str(path)
        raise
    return fd


def _keep(path: Path) -> None:
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
        except FileNotFoundError:  # another recorder kept it just now
            kept.unlink(missing_ok=True)


def numbered(path: Path, number: int) -> Path:
    """`NAME.jsonl` with a number: `NAME.1.jsonl`. A name that would become too long loses its end."""
    end = f".{number}{path.suffix}"
    try:
        longest = os.pathconf(path.parent, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):  # Windows; no such directory; not told
        longest = _LONGEST_NAME
    stem = path.stem
    while stem and len(os.fsencode(stem + end)) > longest:
        stem = stem[:-1]
    return path.with_name(stem + end)
