"""After the recording: a loader in the background, so that neither client nor recorder waits for it.

If it cannot be started, or finds the store busy, the next command that looks at the store loads the
trace: nothing depends on this.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def start_loader() -> None:
    """Starts `acp-trace load --background` in a session of its own, and returns at once."""
    argv = [sys.executable, "-EP", "-m", "acp_trace", "load", "--background"]
    try:
        if sys.platform == "win32":  # pragma: no cover
            import subprocess

            subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                creationflags=subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP,
            )
            return
        quiet: list[Any] = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        quiet += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inherited()]
        try:
            os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setsid=True, setsigmask=())
        except NotImplementedError:  # a system without POSIX_SPAWN_SETSID
            os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setpgroup=0, setsigmask=())
    except OSError:
        pass


def _inherited() -> list[int]:
    """What the client left open for us and our children: a loader that kept it would keep it waiting."""
    try:
        open_ones = [int(name) for name in os.listdir("/dev/fd")]
    except OSError:
        return []
    found = []
    for fd in open_ones:
        try:
            if fd > 2 and os.get_inheritable(fd):
                found.append(fd)
        except OSError:  # the listing's own
            continue
    return found
