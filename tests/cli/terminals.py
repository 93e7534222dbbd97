"""A command on a terminal, with a pager."""

from __future__ import annotations

import os
import subprocess

from tests.posix import new_terminal
from tests.support import ACP_TRACE, DEADLINE_S, Home


def on_a_terminal(home: Home, *args: str, lines: int) -> bytes:
    """What a command prints to a terminal of so many lines, with a pager that says that it was there."""
    leader, follower = new_terminal()
    env = {**home.environment, "PAGER": "sed 's/^/P:/'", "LINES": str(lines), "TERM": "xterm"}
    running = subprocess.Popen([*ACP_TRACE, *args], stdin=follower, stdout=follower, stderr=follower, env=env)
    os.close(follower)
    said = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not piece:
            break
        said += piece
    os.close(leader)
    assert running.wait(DEADLINE_S) == 0
    return said
