"""Processes with an end: each in a group of its own, of which nothing outlives its block or its deadline."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from acp_trace.system.processes import KILL, signal_all

_TERM_S = 10  #: for acp-trace to end its agent after a SIGTERM
_stopped = threading.Event()  #: set when the script is to end: nothing is started any more
_groups: set[int] = set()


class Fault(Exception):
    """A run that did not come to its end."""


class Deadline:
    """The time that a scenario has for all its parts."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left. Raises Fault when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Fault("took too long")
        return left


@contextmanager
def started(
    argv: list[str], *, env: Mapping[str, str], stderr: Path, deadline: Deadline, cwd: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process whose output is read, in a process group of its own. SIGTERM at the deadline, then SIGKILL."""
    if _stopped.is_set():
        raise Fault("was stopped")
    with stderr.open("wb") as sink:
        process = subprocess.Popen(
            argv,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sink,
            start_new_session=True,
        )
    _groups.add(process.pid)
    timers = [
        threading.Timer(deadline.left() + late_s, _signal, [process.pid, number])
        for late_s, number in ((0, signal.SIGTERM), (_TERM_S, KILL))
    ]
    for timer in timers:
        timer.start()
    try:
        yield process
        for timer in timers:
            timer.cancel()
    finally:
        _end(process)
        for timer in timers:
            timer.cancel()
        _groups.discard(process.pid)


def run(
    argv: list[str], *, env: Mapping[str, str], stderr: Path, deadline: Deadline, cwd: Path | None = None
) -> tuple[int, bytes]:
    """Exit code and output of a process."""
    with started(argv, env=env, stderr=stderr, deadline=deadline, cwd=cwd) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        code = process.wait()
    deadline.left()
    return code, output


def stop_all() -> None:
    """Ends what runs, and lets nothing start any more: the script was told to end."""
    _stopped.set()
    for group in list(_groups):
        _signal(group, signal.SIGTERM)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:  # acp-trace ends its agent, which is in a group of its own, when it is told to
        _signal(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TERM_S)
    _signal(process.pid, KILL)
    process.wait()


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS: all that is left are zombies
        signal_all(group, number)
