"""Any system with subprocess, used on Windows: the signals are those of the system."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType

if sys.platform == "win32":  # pragma: no cover  (elsewhere, the recorder starts without these modules)
    from acp_trace.system.processes import KILL, signal_all, startable

#: Ctrl-Break exists only on Windows; hang-up everywhere else.
PASSED_ON = [
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGBREAK", "SIGHUP") if hasattr(signal, name)
]


class PortableAgent:
    """An agent started with subprocess. See `agents.AgentProcess` for its methods."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._received: list[int] = []
        self.signalled = self.left = False
        self._wake = threading.Event()
        for number in PASSED_ON:
            signal.signal(number, self._receive)
        if sys.platform == "win32":  # pragma: no cover
            words = startable(argv)
        else:
            words = list(argv)
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            close_fds=False,
        )
        # The pumps close plain descriptors; the process object must not close them again.
        self.stdin, self.stdout, self.stderr = (
            os.dup(pipe.fileno())
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
            if pipe is not None
        )
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def wait(self) -> int:
        """Block until the agent has ended; return its exit code, or minus the signal that ended it."""
        return self._process.wait()

    def end(self) -> int:
        """Close its pipes, ask it to end, and wait; return how it ended, as `wait` does."""
        for fd in (self.stdin, self.stdout, self.stderr):
            with contextlib.suppress(OSError):
                os.close(fd)
        if sys.platform == "win32":  # pragma: no cover  (a .cmd file is cmd.exe, and the agent below it)
            signal_all(self._process.pid, KILL)
        else:
            self._process.terminate()
        return self.wait()

    def attend(self, work: Callable[[], None], leave: Callable[[], None]) -> None:
        """Run `work` in a thread; until it is done, pass signals on."""
        done = threading.Event()

        def run() -> None:
            try:
                work()
            finally:
                done.set()
                self._wake.set()

        threading.Thread(target=run, daemon=True).start()
        while not done.is_set():
            self._wake.wait(0.2)  # Windows delivers signals only between two short waits
            self._wake.clear()
            while self._received:
                number = self._received.pop(0)
                self.signalled = True
                if self._process.returncode is not None:
                    self.left = True
                    leave()
                else:
                    self._process.send_signal(number)

    def _receive(self, number: int, _: FrameType | None) -> None:
        self._received.append(number)
        self._wake.set()
