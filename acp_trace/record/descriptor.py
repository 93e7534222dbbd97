"""What is done with the descriptor of a trace file: it is locked, appended to, written whole."""

from __future__ import annotations

import os
import sys
import time

from acp_trace.trace import lock

_LOCK_TRIES, _LOCK_PAUSE_S = 100, 0.001

if sys.platform != "win32":

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        """Appends both with one system call; how many bytes it took. Raises OSError."""
        return os.writev(fd, (head, data))

else:  # pragma: no cover  (Windows)

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        """Appends both with one system call; how many bytes it took. Raises OSError."""
        return os.write(fd, head + data)


def write_all(fd: int, data: bytes) -> None:
    """Writes all of it, also where the system takes a part at a time. Raises OSError."""
    done = os.write(fd, data)
    while done < len(data):
        done += os.write(fd, memoryview(data)[done:])


def cut_to(fd: int, size: int) -> int:
    """Takes back what stands behind the first `size` bytes; how many bytes of that are still there."""
    try:
        os.ftruncate(fd, size)
    except OSError:
        return max(os.fstat(fd).st_size - size, 0)
    return 0


def hold(fd: int, tries: int = _LOCK_TRIES) -> None:
    """Locks a trace file for its recorder, or a directory; a file system without locks goes without.

    Whoever looks whether the recorder is alive holds the lock for a moment: that is waited for, about
    `tries` ms long.
    """
    for _ in range(tries):
        try:
            lock.hold(fd)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
        except OSError:
            return
        else:
            return
