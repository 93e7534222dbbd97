"""An agent in a process group of its own. Whatever happens, nothing of that group is left behind.

Nor is what has left the group, as long as it is connected to the agent's pipes (`holders`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import partial

from acp_trace.replay.drive.holders import Pipes
from acp_trace.replay.drive.waits import wait

#: How long an agent is given from SIGTERM to SIGKILL.
TERM_NS = 2_000_000_000


def _started(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """As the recorder would start it, in a process group of its own."""
    if sys.platform == "win32":
        return _spawn(None, argv[0], list(argv))
    from acp_trace.record.agents import posix

    return posix.started(partial(_spawn, dict(posix.environment())), argv)


def _spawn(environment: dict[str, str] | None, _file: str, argv: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=environment,
        start_new_session=True,
    )


class Process:
    """A started agent. Raises OSError where it cannot be started."""

    def __init__(self, argv: Sequence[str]) -> None:
        try:
            self._popen = _started(argv)
        except ValueError as error:  # an empty name, or a NUL in an argument
            raise OSError(22, str(error), argv[0] if argv else "") from None
        self._finished = False
        self.gone = threading.Event()
        try:
            # The pumps close plain descriptors; the process object must not close them again.
            pipes = self._popen.stdin, self._popen.stdout, self._popen.stderr
            self.stdin, self.stdout, self.stderr = (os.dup(one.fileno()) for one in pipes if one is not None)
            for pipe in pipes:
                if pipe is not None:
                    pipe.close()
            self._pipes = Pipes(self.stdin, self.stdout, self.stderr)
            threading.Thread(target=self._watch, daemon=True).start()
        except BaseException:  # no descriptor is left, or no thread
            self.finish()
            raise

    def _watch(self) -> None:
        """Waits for the agent's end without taking its number: until then its group keeps its name."""
        try:
            os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT)
        except (AttributeError, OSError):  # macOS has no waitid before Python 3.13
            self._popen.wait()
        self.gone.set()

    def end(self, grace_ns: int, longest_ns: int = TERM_NS) -> bool:
        """Waits for its end, then asks for it, then forces it; whether it ended by itself.

        `longest_ns`: how long it is given at most, once it is asked.
        """
        if wait(self.gone, grace_ns):
            return True
        self._signal(signal.SIGTERM)
        if not wait(self.gone, min(TERM_NS, longest_ns)):
            self._signal(signal.SIGKILL)
            self.gone.wait()
        return False

    def finish(self) -> int:
        """Ends what is left of its group: its exit code, or minus the signal that ended it.

        From then on its number may be given to others, so that nothing is signalled a second time.
        """
        if not self._finished:
            self._finished = True
            self._signal(signal.SIGKILL)
        return self._popen.wait()

    def end_holders(self) -> None:
        """Ends what left the group and still holds the agent's pipes, where the system tells (`holders`)."""
        self._pipes.end_holders()

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._popen.pid, number)
        except (ProcessLookupError, PermissionError):  # nobody is left; macOS says so of the dead
            pass
