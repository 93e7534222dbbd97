"""The header, the first document of a trace: which agent was started, where, when, by which recorder."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from acp_trace import __version__
from acp_trace.trace.document import FORMAT, document


def header(
    trace_id: str, argv: Sequence[str], started: int, *, cwd: str | None = None, **more: object
) -> bytes:
    """Return the header of a trace that began at `started` (ns, monotonic). `more`: other keys.

    `cwd`: the agent's directory; without it, this process's directory. A key in `more` replaces a usual key
    of the same name.
    """
    since = time.monotonic_ns() - started
    seconds, ns = divmod(time.time_ns() - since, 1_000_000_000)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    try:
        cwd = os.getcwd() if cwd is None else cwd
    except OSError:  # the directory was deleted; the agent starts there all the same
        cwd = ""
    return document(
        {
            "acp_trace": FORMAT,
            "id": trace_id,
            "started_at": f"{stamp}.{ns // 1000:06d}Z",
            "transport": "stdio",
            "agent": {"argv": list(argv), "cwd": cwd},
            "recorder": {"name": "acp-trace", "version": __version__},
            "platform": {"system": sys.platform, "python": sys.version.split()[0]},
            **more,
        }
    )
