"""Operations on the descriptor of a trace file: lock it, append to it, write all of it."""

from __future__ import annotations

import os
import sys
import time

from acp_trace.trace import lock

_LOCK_TRIES, _LOCK_PAUSE_S = 100, 0.001

if sys.platform != "win32":

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        """Append both with one system call; return how many bytes were written. Raises OSError."""
        return os.writev(fd, (head, data))

else:  # pragma: no cover  (Windows)

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        """Append both with one system call; return how many bytes were written. Raises OSError."""
        return os.write(fd, head + data)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it, even if the system takes a part at a time. Raises OSError."""
    done = os.write(fd, data)
    while done < len(data):
        done += os.write(fd, memoryview(data)[done:])


def cut_to(fd: int, size: int) -> int:
    """Remove everything after the first `size` bytes; return how many bytes of that remain."""
    try:
        os.ftruncate(fd, size)
    except OSError:
        return max(os.fstat(fd).st_size - size, 0)
    return 0


def hold(fd: int, tries: int = _LOCK_TRIES) -> None:
    """Lock a trace file for its recorder, or a directory; does nothing on a file system without locks.

    A reader that checks whether the recorder is alive holds the lock for a moment: this waits for it, for
    about `tries` ms.
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
