"""Starting the agent as the client would have, and passing signals on: one module for each kind of system.

- `portable`  any system with subprocess, used on Windows: the signals are those of the system
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
    """A started agent behind three pipes (this side's descriptors)."""

    stdin: int
    stdout: int
    stderr: int
    signalled: bool  #: a signal has asked it to end
    left: bool  #: a signal to end came after it had ended

    def wait(self) -> int:
        """Block until the agent has ended; return its exit code, or minus the signal that ended it."""

    def end(self) -> int:
        """Close its pipes, ask it to end, and kill it if it does not; return how it ended, as `wait` does."""

    def attend(self, work: Callable[[], None], leave: Callable[[], None]) -> None:
        """Run `work` in a thread; until it is done, pass this process's signals on to the agent.

        `leave` is called for a signal to end that comes after the agent has ended. Main thread only.
        """


def start(argv: Sequence[str]) -> AgentProcess:
    """Start the agent with this process's environment, directory and process group. Raises OSError."""
    if sys.platform == "win32":  # pragma: no cover
        from acp_trace.record.agents.portable import PortableAgent

        return PortableAgent(argv)
    else:  # noqa: RET505  (or mypy calls it unreachable for Windows; below, too)
        from acp_trace.record.agents.posix import PosixAgent

        return PosixAgent(argv)


def asked_to_end() -> bool:
    """Whether a signal to end has come since the agent ended."""
    if sys.platform == "win32":  # pragma: no cover
        return False
    else:  # noqa: RET505
        from acp_trace.record.agents import posix

        return posix.asked_to_end()


def leave(status: int) -> None:
    """End this process as the agent ended: with its exit code, or by its signal. Does not return."""
    if sys.platform == "win32":  # pragma: no cover
        import os

        os._exit(status)
    else:
        from acp_trace.record.agents.posix import end_as

        end_as(status)
