"""How a live trace shows that its recorder is alive: a lock on the trace file itself.

The system drops it when the recorder dies, however it dies, and no second file is left behind; that is why
this is not a lock-file library. Readers only ever test it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

#: The process, or the system, has run out of descriptors or memory, whatever the file is.
_NOT_NOW = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}

TYPE_CHECKING = False  # pathlib takes a tenth of a recorder's start
if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    #: Windows locks keep others from reading the locked bytes, so the lock is on a byte far beyond the end.
    _FAR = 1 << 60

    def hold(fd: int) -> None:
        """Lock the open file until it is closed. Raises OSError if that is impossible."""
        at = os.lseek(fd, 0, os.SEEK_CUR)
        os.lseek(fd, _FAR, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_LOCK, 1)
        os.lseek(fd, at, os.SEEK_SET)

    def _free(fd: int) -> bool:
        os.lseek(fd, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        return True

    def is_held(fd: int) -> bool:
        """Whether a living recorder writes to this open file, whatever its present name."""
        at = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            return not _free(fd)
        finally:
            os.lseek(fd, at, os.SEEK_SET)

    _MODE = os.O_RDWR

else:
    import fcntl

    def hold(fd: int) -> None:
        """Lock the open file until it is closed. Raises OSError if that is impossible."""
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _free(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: a lock cannot be held
            return True
        return True

    def is_held(fd: int) -> bool:
        """Whether a living recorder writes to this open file, whatever its present name."""
        if not _free(fd):
            return True
        fcntl.flock(fd, fcntl.LOCK_UN)
        return False

    _MODE = os.O_RDONLY


def held(path: Path) -> bool:
    """Whether a living recorder writes to this trace file; False if the file does not exist.

    Nothing else is opened: a pipe that was opened and closed would lose its writer. If files cannot be opened
    at the moment, the answer is True: a recorder may be alive, so its file must not be taken away.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        fd = os.open(path, _MODE)
    except OSError as error:
        return error.errno in _NOT_NOW
    try:
        return is_held(fd)
    finally:
        os.close(fd)
