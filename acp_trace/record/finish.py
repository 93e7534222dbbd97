"""A capture that `--out` named becomes a file of lines: written beside it, then moved over it.

The recorder does this when the traffic is over. If anything stops it (a full disk, a signal to end, a kill),
the capture stays, which every command reads. It imports trace readers, so not before the traffic is over.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from itertools import count

from acp_trace.record.descriptor import write_all
from acp_trace.record.place import naming, numbered
from acp_trace.system.files import pread
from acp_trace.trace.capture_layout import MAGIC
from acp_trace.trace.files import Lines
from acp_trace.trace.names import new_id, unfinished

_BLOCK = 1 << 20


class GivenUp(Exception):
    """The process was asked to end meanwhile."""


def finish(fd: int, path: str, is_wanted: Callable[[], bool]) -> None:
    """Replace a whole capture with lines. `fd`: its descriptor; `path`: the name that it was given.

    If another recorder took that name, the capture has been renamed to a numbered one, which is found.
    `is_wanted` is called now and then. Raises OSError and GivenUp; then the capture is unchanged.
    """
    hidden = unfinished(path, new_id())
    new = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        try:
            _write(fd, new, is_wanted)
        finally:
            os.close(new)
        with naming(path):
            _give_name(hidden, fd, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(hidden)
        raise


def _write(fd: int, new: int, is_wanted: Callable[[], bool]) -> None:
    if pread(fd, len(MAGIC), 0) != MAGIC:
        raise OSError(errno.EINVAL, "its beginning is gone")
    with open(os.dup(fd), "rb", buffering=0) as capture:
        capture.seek(0)
        lines = Lines(capture)
        while block := lines.read(_BLOCK):
            if not is_wanted():
                raise GivenUp("asked to end")
            write_all(new, block)


def _give_name(hidden: str, fd: int, path: str) -> None:
    """Put the lines in the capture's place; if it was deleted meanwhile, under a free name."""
    if os.fstat(fd).st_nlink:
        os.replace(hidden, _name_of(fd, path))
        return
    for number in count():
        with contextlib.suppress(FileExistsError):
            os.link(hidden, numbered(path, number) if number else path)
            os.unlink(hidden)
            return


def _name_of(fd: int, path: str) -> str:
    """Return the current name of a file. Raises FileNotFoundError if it has none in that directory."""
    own = os.fstat(fd)
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.lstat(path), own):
            return path
    with os.scandir(os.path.dirname(path)) as entries:
        for entry in entries:
            if entry.inode() == own.st_ino and os.path.samestat(entry.stat(follow_symlinks=False), own):
                return entry.path
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
