"""Ending a process with all that it started, and how a process ended.

POSIX has process groups. Windows has none, so `taskkill` ends the tree of processes there: what has left the
tree is not found. The portable implementation on POSIX ends the process alone.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from acp_trace.system.choice import is_portable
from acp_trace.system.commands import command_line, found

#: The number of SIGKILL on every POSIX system, also in traces. On Windows, `os.kill` ends a process at once.
KILL = 9


def tree_end_command(pid: int) -> list[str]:
    """Return the command with which Windows ends a process and its children at once."""
    return ["taskkill", "/F", "/T", "/PID", str(pid)]


if sys.platform == "win32":  # pragma: no cover  (not run yet)

    def startable(argv: Sequence[str]) -> Sequence[str] | str:
        """Return what `Popen` starts for a command, also for the `.cmd` files of npm. Raises OSError."""
        path = found(argv[0], os.environ, os.path.isfile) or argv[0]
        try:
            return command_line(path, argv[1:])
        except ValueError as error:
            raise OSError(errno.EINVAL, str(error), path) from None

    def apart() -> dict[str, Any]:
        """Return the options of `Popen` for a process that can be ended with all that it starts."""
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}

    def signal_all(pid: int, number: int) -> None:
        """Signal a process and all that it started. Raises OSError, ProcessLookupError if all are gone."""
        if number == KILL:
            subprocess.run(tree_end_command(pid), capture_output=True, check=False)
        else:
            os.kill(pid, signal.CTRL_BREAK_EVENT)

    def status_left(_: int) -> int | None:
        """Return None: Windows does not keep how a process ended for somebody else."""
        return None

else:

    def startable(argv: Sequence[str]) -> Sequence[str] | str:
        """Return what `Popen` starts for a command: on POSIX, its words."""
        return argv

    def apart() -> dict[str, Any]:
        """Return the options of `Popen` for a process that can be ended with all that it starts."""
        return {"start_new_session": True}

    def signal_all(pid: int, number: int) -> None:
        """Signal a process and all that it started. Raises OSError, ProcessLookupError if all are gone."""
        (os.kill if is_portable() else os.killpg)(pid, number)

    def status_left(pid: int) -> int | None:
        """Wait for the end of a child without taking its number: its exit code, or minus its signal.

        None if this system cannot do that, such as macOS before Python 3.13.
        """
        waitid = None if is_portable() else getattr(os, "waitid", None)
        try:
            ended = waitid and waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        except OSError:
            return None
        if not ended:
            return None
        return int(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)
