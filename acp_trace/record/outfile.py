"""What `record --out` may name. Imports nothing: it is asked before the agent starts."""

from __future__ import annotations

import os
import stat

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISBLK, "a disk"),
)


def refused(path: str | os.PathLike[str]) -> str | None:
    """What the path is, where no trace can be recorded into it; None for what is good, or not there.

    A pipe would stop the traffic as soon as its reader stops. Character devices, such as /dev/null, are good.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:  # the recorder will say, if it is worse than that
        return None
    return next((what for is_one, what in _KINDS if is_one(mode)), None)
