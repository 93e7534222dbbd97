"""Which implementation is in use: the one for POSIX, or the portable one that Windows needs.

`ACP_TRACE_SYSTEM=portable` chooses the portable one anywhere, so that Linux can run it in tests.
`ACP_TRACE_LOOP=threads` chooses only the portable loop of a replay.
"""

from __future__ import annotations

import os
import select

VARIABLE = "ACP_TRACE_SYSTEM"
#: Chooses only the loop: `poll` or `threads`.
LOOP = "ACP_TRACE_LOOP"


def is_portable() -> bool:
    """Whether this process does without process groups, `waitid` and questions about pipes."""
    return os.name != "posix" or os.environ.get(VARIABLE) == "portable"


def has_poll() -> bool:
    """Whether a replay may ask the system which pipe is ready."""
    return hasattr(select, "poll") and not is_portable() and os.environ.get(LOOP) != "threads"
