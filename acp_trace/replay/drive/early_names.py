"""The program that the recorder starts: lists the existing files, then continues as `take_snapshot`.

An agent may make files as soon as a session is opened. A file that did not exist when the recorder started is
new, and need not be kept. So the names are listed before anything else is imported, which takes 0.1 s and
more: `workspace_files.names_in` needs these imports.
"""

from __future__ import annotations

import os
import sys
import time

from acp_trace.trace.tree import walk

#: Most names to list, and seconds for that: more would delay the copies.
_MOST, _LONGEST_S = 50_000, 0.1


def names_below(directory: str) -> frozenset[str] | None:
    """Return the names of all files below a directory except git's own; None if there are too many."""
    names: set[str] = set()
    until = time.monotonic() + _LONGEST_S
    for here, below, files in walk(directory):
        below[:] = [name for name in below if name != ".git"]
        prefix = "" if here == directory else os.path.relpath(here, directory) + os.sep
        names.update(prefix + name for name in (*below, *files))
        if len(names) > _MOST or time.monotonic() > until:
            return None
    return frozenset(names)


if __name__ == "__main__":
    early = names_below(os.getcwd())
    from acp_trace.replay.drive.take_snapshot import main

    try:
        main(*sys.argv[1:], names=early)
    except (OSError, ValueError):  # this program runs unattended, without output
        pass
