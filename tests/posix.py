"""What tests need of POSIX or Linux. A test that asks for what its system lacks is skipped at that moment.

A module of which all tests need more than that says so at its top, in words that pytest and mypy understand:
`assert sys.platform != "win32", pytest.skip("has no such signals", allow_module_level=True)`.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NoReturn

#: Signals by which another process asks one to end, and which that one can hear. A test that has none of them as
#: its cases is skipped.
ENDING: tuple[signal.Signals, ...]
if sys.platform == "win32":
    ENDING = ()
else:
    ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def lacks(what: str) -> NoReturn:
    """Skips the test."""
    import pytest  # scripts do without

    pytest.skip(f"this system has no {what}")


def named_pipe(path: str | os.PathLike[str]) -> None:
    """Makes a pipe that has a name."""
    if sys.platform == "win32":
        lacks("pipes with a name")
    else:
        os.mkfifo(path)


def unix_socket() -> socket.socket:
    """A socket that gets a path."""
    if sys.platform == "win32":
        lacks("sockets with a path")
    else:
        return socket.socket(socket.AF_UNIX)


def new_terminal() -> tuple[int, int]:
    """Both ends of a new terminal: the one of who sits there, and the one for a process."""
    if sys.platform == "win32":
        lacks("terminals that a program can make")
    else:
        return os.openpty()


def leads_a_terminal(argv: Sequence[str], environment: dict[str, str]) -> tuple[int, int]:
    """Starts a program that leads the session of a new terminal; its process, and the end of who sits there."""
    if sys.platform == "win32":
        lacks("terminals that a program can make")
    else:
        import pty

        child, terminal = pty.fork()
        if child == 0:  # pragma: no cover  (another process)
            os.execve(argv[0], [*argv], environment)
        return child, terminal


def limit(what: Literal["AS", "FSIZE", "NOFILE"], most: int) -> Callable[[], None]:
    """What puts a limit on the process that calls it: on its memory, the size of its files, its descriptors."""
    if sys.platform == "win32":
        lacks("limits of processes")
    else:
        import resource

        numbers = {"AS": resource.RLIMIT_AS, "FSIZE": resource.RLIMIT_FSIZE, "NOFILE": resource.RLIMIT_NOFILE}
        return partial(resource.setrlimit, numbers[what], (most, most))


def limit_files(pid: int, size: int | None) -> None:
    """From now on, that process writes to no file behind this size; None: to all."""
    if sys.platform != "linux":
        lacks("limits that another process can set")
    else:
        import resource

        most = resource.RLIM_INFINITY
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most if size is None else size, most))


def descriptor_of(pid: int) -> int:
    """A descriptor that is ready when that process is over. Raises ProcessLookupError where there is none."""
    if sys.platform != "linux":
        lacks("descriptors of processes")
    else:
        return os.pidfd_open(pid)


def take_time_zone() -> None:
    """From now on, local time is that of `TZ`."""
    if sys.platform == "win32":
        lacks("time zone of a process's own")
    else:
        time.tzset()
