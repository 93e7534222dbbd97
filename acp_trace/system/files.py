"""Files, as far as systems differ: flags of `open`, reading and writing at an offset, who owns a file.

A flag that a system lacks is 0 here. Windows has no `pread` and `pwrite`: there two calls do the work of one,
so only one thread may use a descriptor.
"""

from __future__ import annotations

import os
import sys

CLOEXEC = getattr(os, "O_CLOEXEC", 0)
DIRECTORY = getattr(os, "O_DIRECTORY", 0)
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)


def device_number(status: os.stat_result) -> int:
    """Return the number of a device; 0 if the system has none."""
    return getattr(status, "st_rdev", 0)


def portable_pread(fd: int, size: int, offset: int) -> bytes:
    """Read up to `size` bytes at an offset; the descriptor's position stays. Raises OSError."""
    before = os.lseek(fd, 0, os.SEEK_CUR)
    try:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, size)
    finally:
        os.lseek(fd, before, os.SEEK_SET)


def portable_pwrite(fd: int, data: bytes, offset: int) -> int:
    """Write at an offset; the descriptor's position stays. Returns how many bytes. Raises OSError."""
    before = os.lseek(fd, 0, os.SEEK_CUR)
    try:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.write(fd, data)
    finally:
        os.lseek(fd, before, os.SEEK_SET)


if sys.platform == "win32":  # pragma: no cover
    pread, pwrite = portable_pread, portable_pwrite

    def user() -> int:
        """Return the number of this process's user: 0 on Windows, where files have 0 as their owner, too."""
        return 0

else:
    pread, pwrite = os.pread, os.pwrite

    def user() -> int:
        """Return the number of this process's user."""
        return os.geteuid()
