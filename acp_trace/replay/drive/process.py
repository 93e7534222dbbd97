"""An agent in its own process group. In every case, all processes of that group are ended.

So are processes that have left the group, as long as they are connected to the agent's pipes: a signal
reaches only a process group, but a process that still reads the agent's input, or writes to its output, is a
part of the agent. Linux only: elsewhere such processes cannot be found. A process that has closed the agent's
pipes, as a daemon does, is left alone.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from acp_trace.replay.drive.waits import wait
from acp_trace.replay.timeouts import HOLDER_LOOKS, HURRY_NS, KILLED_S, REFUSED_S, TERM_NS
from acp_trace.system.processes import KILL, apart, signal_all, startable, status_left

_PROC = "/proc"


def own_environment() -> dict[str, str]:
    """Return the variables of this process, as an agent would have got them without it."""
    if sys.platform == "win32":
        return dict(os.environ)
    else:  # noqa: RET505  (or mypy calls it unreachable; below, too)
        from acp_trace.record.agents import posix

        return dict(posix.environment())


def _started(argv: Sequence[str], cwd: str | None, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start it as the recorder would, in its own process group."""
    spawn = partial(_spawn, cwd, environment)
    if sys.platform == "win32":
        return spawn(argv[0], list(argv))
    else:  # noqa: RET505
        from acp_trace.record.agents import posix

        return posix.started(spawn, argv)


def _spawn(
    cwd: str | None, environment: Mapping[str, str], _file: str, argv: list[str]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        startable(argv),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=environment,
        **apart(),
    )


class Process:
    """A started agent. Raises OSError if it cannot be started.

    `cwd`: its directory, if not this process's; `environment`: its variables, if not this process's.
    """

    def __init__(
        self, argv: Sequence[str], cwd: str | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        try:
            self._popen = _started(argv, cwd, own_environment() if environment is None else environment)
        except ValueError as error:  # an empty name, or a NUL in an argument
            raise OSError(22, str(error), argv[0] if argv else "") from None
        self._finished = False
        #: Its exit code, or minus the signal that ended it; None while it runs. Its children may go on.
        self.status: int | None = None
        self.pid = self._popen.pid
        self.gone = threading.Event()
        try:
            # The pumps close plain descriptors; the process object must not close them again.
            pipes = self._popen.stdin, self._popen.stdout, self._popen.stderr
            self.stdin, self.stdout, self.stderr = (
                os.dup(pipe.fileno()) for pipe in pipes if pipe is not None
            )
            for pipe in pipes:
                if pipe is not None:
                    pipe.close()
            self._pipes = Pipes(self.stdin, self.stdout, self.stderr)
            threading.Thread(target=self._watch, daemon=True).start()
        except BaseException:  # no descriptor is left, or no thread
            self.finish()
            raise

    def _watch(self) -> None:
        """Wait for the agent's end without reaping it: until then its group keeps its number."""
        left = status_left(self._popen.pid)
        self.status = self._popen.wait() if left is None else left
        self.gone.set()

    def end(
        self, grace_ns: int, longest_ns: int = TERM_NS, *, hurry: Callable[[], bool] = lambda: False
    ) -> bool:
        """Wait for its end, then ask for it; return whether it ended by itself. `finish` forces it.

        `longest_ns`: the most time that it has after it was asked. `hurry`: whether the end is wanted before
        `grace_ns` is over.
        """
        if self._ends_within(grace_ns, hurry):
            return True
        self._signal(signal.SIGTERM)
        wait(self.gone, min(TERM_NS, longest_ns))
        return False

    def finish(self) -> int | None:
        """End what is left of its group; return its exit code, or minus the signal that ended it.

        None if it cannot be ended. From then on its number may belong to another process, so it is never
        signalled a second time.
        """
        if not self._finished:
            self._finished = True
            allowed = self._signal(KILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(KILLED_S if allowed else REFUSED_S)
        return self._popen.returncode

    def end_holders(self) -> None:
        """End processes that left the group and still hold the agent's pipes, if the system lists them."""
        self._pipes.end_holders()

    def _ends_within(self, longest_ns: int, hurry: Callable[[], bool]) -> bool:
        until = time.monotonic_ns() + longest_ns
        while not hurry():
            left = until - time.monotonic_ns()
            if wait(self.gone, max(min(left, HURRY_NS), 0)):
                return True
            if left <= 0:
                return False
        return self.gone.is_set()

    def _signal(self, number: int) -> bool:
        """Send a signal to the group; return whether that was allowed."""
        try:
            signal_all(self._popen.pid, number)
        except ProcessLookupError:  # no process is left
            pass
        except PermissionError:  # macOS also raises it for dead processes
            return False
        return True


#: The message about an agent that has ended, if its output has no end.
HELD = "but a process that it started still holds its output"


def how(status: int | None) -> str:
    """Return ` (exit code 3)`, to follow `ended`; empty if it is not known."""
    if status is None:
        return ""
    return f" (exit code {status})" if status >= 0 else f" (signal {-status})"


class Pipes:
    """The agent's three pipes, by their names in the system. Made while they are open."""

    def __init__(self, stdin: int, stdout: int, stderr: int) -> None:
        self._reads = {_pipe(stdin)}
        self._writes = {_pipe(stdout), _pipe(stderr)}

    def end_holders(self) -> int:
        """Kill every process that holds the agent's end of one of these pipes; return how many."""
        ended: set[int] = set()
        for _ in range(HOLDER_LOOKS):
            holders = set(self._holders()) - ended
            if not holders:
                break
            for pid in holders:
                with contextlib.suppress(OSError):
                    os.kill(pid, KILL)
            ended |= holders
        return len(ended)

    def _holders(self) -> Iterator[int]:
        with contextlib.suppress(OSError):
            for name in os.listdir(_PROC):
                if name.isdigit() and int(name) != os.getpid() and self._holds(f"{_PROC}/{name}/fd"):
                    yield int(name)

    def _holds(self, descriptors: str) -> bool:
        """Whether one of these is the agent's end: our own children hold only our ends."""
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
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
