"""An agent as one executable file, for a client that starts its agent itself.

Some clients take a command as one word, others as a line for a shell: the path of a file fits both.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

#: The word of a client's command that is replaced by the agent, and the variable that also names it.
PLACE, VARIABLE = "{agent}", "ACP_TRACE_AGENT"


def agent_program(directory: Path, argv: Sequence[str], started: Path | None = None) -> str:
    """Write the file `agent`, which becomes the command `argv`, and return its path. Raises OSError.

    `started`: a file that exists once the client has started the agent.
    """
    note = "" if started is None else f": > {shlex.quote(str(started))}\n"
    file = directory / "agent"
    file.write_text(f"#!/bin/sh\n{note}exec {shlex.join(argv)}\n", "utf-8")
    file.chmod(0o700)
    return str(file)
