"""Starting the agent as the client would have, and passing signals on: one module a kind of system.

- `portable`  any system with subprocess, in use on Windows: the signals are those that the system has
- `posix`     Linux and macOS: posix_spawn, and a main thread that does nothing but wait for signals
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class AgentProcess(Protocol):
    """A started agent behind three pipes (descriptors of this side)."""

    stdin: int
    stdout: int
    stderr: int
    signalled: bool  #: a signal asked it to end
    left: bool  #: a signal to end came when it was gone

    def wait(self) -> int:
        """Blocks until the agent is gone: its exit code, or minus the signal that ended it."""

    def end(self) -> int:
        """Hangs up, asks it to end, ends it where it does not: how it ended, as `wait` tells it."""

    def attend(self, work: Callable[[], None], leave: Callable[[], None]) -> None:
        """Runs `work` in a thread; until it is done, passes this process's signals on to the agent.

        `leave` is called for a signal to end that comes when the agent is gone already. Main thread only.
        """


def start(argv: Sequence[str]) -> AgentProcess:
    """The agent, started with this process's environment, directory and process group. Raises OSError."""
    if sys.platform == "win32":  # pragma: no cover
        from acp_trace.record.agents.portable import PortableAgent

        return PortableAgent(argv)
    else:  # noqa: RET505  (or mypy calls it unreachable for Windows; below, too)
        from acp_trace.record.agents.posix import PosixAgent

        return PosixAgent(argv)


def asked_to_end() -> bool:
    """Whether a signal to end has come since the agent is gone."""
    if sys.platform == "win32":  # pragma: no cover
        return False
    else:  # noqa: RET505
        from acp_trace.record.agents import posix

        return posix.asked_to_end()


def leave(status: int) -> None:
    """Ends this process as the agent ended: with its exit code, or by its signal. Does not return."""
    if sys.platform == "win32":  # pragma: no cover
        import os

        os._exit(status)
    else:
        from acp_trace.record.agents.posix import end_as

        end_as(status)
