"""After the recording: a loader in the background, so that neither client nor recorder waits for it.

If it cannot be started, or finds the store busy, the next command that looks at the store loads the
trace: nothing depends on this.
"""

from __future__ import annotations

import os
import sys


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
        quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        try:
            os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setsid=True, setsigmask=())
        except NotImplementedError:  # a system without POSIX_SPAWN_SETSID
            os.posix_spawn(argv[0], argv, os.environ, file_actions=quiet, setpgroup=0, setsigmask=())
    except OSError:
        pass
