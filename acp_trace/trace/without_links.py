"""Opens a file or a directory with no link on the way, so that the opened file is the one that was checked.

A program may replace a directory with a link between a check of a path and its use. Therefore a caller
resolves the path, checks it, and opens it here: each directory on the way is opened in the one above it, and
a link ends the walk. On systems without descriptors of directories (Windows), only the last name is checked.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_BY_DESCRIPTOR = {os.open, os.stat, os.mkdir, os.readlink} <= os.supports_dir_fd
#: With O_PATH, a directory can be opened even if it may only be searched.
_DIRECTORY = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_WRITES = os.O_WRONLY | os.O_RDWR
_FILE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def parent(path: str, *, make: bool = False) -> Iterator[tuple[int | None, str]]:
    """Yield a descriptor of an absolute path's directory, and the last name of the path.

    The descriptor is for `dir_fd`; None, and the whole path, on systems without. `make`: makes missing
    directories. Raises OSError, also if a directory on the way is a link.
    """
    above, name = os.path.split(path)
    if not _BY_DESCRIPTOR:
        if make:
            os.makedirs(above, exist_ok=True)
        yield None, path
        return
    found = directory(above, make=make)
    try:
        yield found, name
    finally:
        os.close(found)


def directory(path: str, *, make: bool = False) -> int:
    """Return a descriptor of a directory. `make`: makes it and those above.

    Raises OSError, also for a link.
    """
    here = os.open(os.sep, _DIRECTORY)
    try:
        for name in filter(None, path.split(os.sep)):
            if make:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=here)
            below = os.open(name, _DIRECTORY, dir_fd=here)
            os.close(here)
            here = below
    except BaseException:
        os.close(here)
        raise
    return here


def plain_file(path: str, how: int, *, make: bool = False) -> int:
    """Return a descriptor of a plain file. `make`: makes the directories above. See `opened`."""
    with parent(path, make=make) as (above, name):
        return opened(name, how, above)


def opened(name: str, how: int, above: int | None) -> int:
    """Return a descriptor of a plain file in the directory that `parent` returned. Does not wait for a pipe.

    `how`: flags of `os.open`. Raises OSError for anything but a plain file, and for a file to be written that
    has another name: that name may be elsewhere, and its file would change too.
    """
    fd = os.open(name, how | _FILE, 0o666, dir_fd=above)
    status = os.fstat(fd)
    why = "" if stat.S_ISREG(status.st_mode) else "It is not a plain file"
    if not why and how & _WRITES and status.st_nlink > 1:
        why = "It has another name (a hard link)"
    if why:
        os.close(fd)
        raise OSError(errno.EINVAL, why, name)
    return fd
