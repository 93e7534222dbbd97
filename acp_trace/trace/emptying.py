"""Removes a directory's contents, whatever an agent made there: deep trees, links, mounted file systems.

`shutil.rmtree` holds a descriptor for each level, and ends in a RecursionError in a deep tree. Here nested
directories are moved up before they are emptied, so that no tree is deep. Nothing is removed through a link,
or from another file system.
"""

from __future__ import annotations

import os
from contextlib import suppress

#: Whether directories can be emptied here: not on Windows.
CAN_EMPTY = {os.open, os.unlink, os.rmdir, os.rename, os.stat} <= os.supports_dir_fd
_DIRECTORY = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def empty(directory: int, but: str) -> None:
    """Remove everything that can be removed in a directory, except the file of this name.

    `directory`: its descriptor.
    """
    device = os.fstat(directory).st_dev
    waiting = []
    for name, is_directory in entries(directory):
        if is_directory:
            waiting.append(name)
        elif name != but:
            with suppress(OSError):
                os.unlink(name, dir_fd=directory)
    while waiting:
        name = waiting.pop()
        with suppress(OSError):
            waiting += _emptied(name, directory, device)
            os.rmdir(name, dir_fd=directory)


def entries(directory: int) -> list[tuple[str, bool]]:
    """Return the names in a directory, and whether each is a directory itself. Raises OSError."""
    with os.scandir(directory) as found:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]


def _emptied(name: str, above: int, device: int) -> list[str]:
    """Remove a directory's files and move its directories up; return the new names of these.

    Raises OSError.
    """
    try:
        here = os.open(name, os.O_RDONLY | _DIRECTORY, dir_fd=above)
    except PermissionError:
        _make_writable(name, above)
        here = os.open(name, os.O_RDONLY | _DIRECTORY, dir_fd=above)
    moved = []
    try:
        if os.fstat(here).st_dev != device:
            return []
        os.chmod(here, 0o700)  # package managers make directories read-only
        for entry, is_directory in entries(here):
            with suppress(OSError):
                if is_directory:
                    moved.append(_moved_up(entry, here, above))
                else:
                    os.unlink(entry, dir_fd=here)
    finally:
        os.close(here)
    return moved


def _moved_up(name: str, directory: int, above: int) -> str:
    new = f".{os.urandom(12).hex()}"
    try:
        os.rename(name, new, src_dir_fd=directory, dst_dir_fd=above)
    except PermissionError:  # moving a directory writes into it
        _make_writable(name, directory)
        os.rename(name, new, src_dir_fd=directory, dst_dir_fd=above)
    return new


def _make_writable(name: str, above: int) -> None:
    """Give the owner of a directory all permissions on it. Follows no link."""
    if os.chmod in os.supports_follow_symlinks:  # pragma: no cover  (macOS)
        os.chmod(name, 0o700, dir_fd=above, follow_symlinks=False)
        return
    fd = os.open(name, getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY, dir_fd=above)
    try:
        os.chmod(f"/proc/self/fd/{fd}", 0o700)
    finally:
        os.close(fd)
