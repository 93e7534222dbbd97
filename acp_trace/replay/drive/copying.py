"""A copy of a directory, for an agent to work in. Links stay links: nothing behind one is copied.

Only directories, files and links are copied. Sockets, pipes and devices are left out: they belong to a
program that is running, and reading one may wait for ever.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from acp_trace.replay.drive.stop import Stop

_BLOCK = 1 << 20


class Stopped(Exception):
    """Somebody wished to stop, in the middle of a copy."""


def copy(source: Path, target: Path, *, leave_out: Path, stop: Stop) -> None:
    """Copies what is in a directory into another one, which is there. Raises OSError, Stopped.

    `leave_out`: a directory that is not copied, because the copy itself may lie in it.
    """
    directories: list[tuple[str, Path]] = []
    left_out = os.stat(leave_out)
    for here, below, files in os.walk(source, onerror=_raise):
        there = target / os.path.relpath(here, source)
        directories.append((here, there))
        for name in [*below, *files]:
            if stop.is_set():
                raise Stopped
            path = os.path.join(here, name)
            found = os.lstat(path)
            if stat.S_ISLNK(found.st_mode):
                os.symlink(os.readlink(path), there / name)
            elif stat.S_ISREG(found.st_mode):
                _copy_file(path, there / name, stop)
            elif stat.S_ISDIR(found.st_mode):
                if os.path.samestat(found, left_out):
                    below.remove(name)
                else:
                    (there / name).mkdir()
    for was, made in reversed(directories):  # a directory may be read-only, once it is full
        shutil.copystat(was, made)


def _copy_file(source: str, target: Path, stop: Stop) -> None:
    """A file may take minutes: it is stopped in the middle, too. Raises OSError, Stopped."""
    how = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(source, how), "rb", buffering=0) as read, open(target, "xb", buffering=0) as written:
        while block := read.read(_BLOCK):
            if stop.is_set():
                raise Stopped
            left = memoryview(block)
            while left:
                left = left[written.write(left) :]
    shutil.copystat(source, target, follow_symlinks=False)


def _raise(error: OSError) -> None:
    raise error
