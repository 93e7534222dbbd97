"""Who still holds an agent's pipes: what it started in a session of its own, and did not take along.

A process group is all that a signal reaches. Who has left it and still reads the agent's input, or writes
to its output, is a part of the agent. Linux only: elsewhere nobody is found. Whoever has closed the agent's
pipes, as a daemon does, is none of them, and is left alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from collections.abc import Iterator

_PROC = "/proc"
#: Who forks while we look may be missed at first. Nobody needs so many looks but a fork bomb.
_LOOKS = 20


class Pipes:
    """The agent's three pipes, by what the system calls them. Made while they are open."""

    def __init__(self, stdin: int, stdout: int, stderr: int) -> None:
        self._reads = {_pipe(stdin)}
        self._writes = {_pipe(stdout), _pipe(stderr)}

    def end_holders(self) -> int:
        """Kills every process that holds the agent's end of one of these pipes; how many."""
        ended: set[int] = set()
        for _ in range(_LOOKS):
            found = set(self._holders()) - ended
            if not found:
                break
            for pid in found:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            ended |= found
        return len(ended)

    def _holders(self) -> Iterator[int]:
        with contextlib.suppress(OSError):
            for name in os.listdir(_PROC):
                if name.isdigit() and int(name) != os.getpid() and self._holds(f"{_PROC}/{name}/fd"):
                    yield int(name)

    def _holds(self, descriptors: str) -> bool:
        """Whether one of these is the agent's end: ours are the other ones, which our own children hold."""
        with contextlib.suppress(OSError):  # it is gone, or another user's
            for name in os.listdir(descriptors):
                path = f"{descriptors}/{name}"
                with contextlib.suppress(OSError):
                    pipe = os.readlink(path)
                    mode = os.lstat(path).st_mode
                    if (pipe in self._reads and mode & stat.S_IRUSR) or (
                        pipe in self._writes and mode & stat.S_IWUSR
                    ):
                        return True
        return False


def _pipe(fd: int) -> str:
    return f"pipe:[{os.fstat(fd).st_ino}]"
