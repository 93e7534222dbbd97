"""One wish to stop, from any thread or signal handler, felt by every loop that waits for its pipes."""

from __future__ import annotations

import os


class Stop:
    """Readable from when it is set: what polls `fd` wakes up.

    A signal handler may set it, and another signal may come while it does: so it is one step that
    decides, and there is no lock that the interrupted code might hold.
    """

    def __init__(self) -> None:
        self.fd, end = os.pipe()
        self._ends = [end]

    def is_set(self) -> bool:
        """Whether somebody wished so."""
        return not self._ends

    def set(self) -> None:
        """Stops everything that looks at it. For good."""
        try:
            end = self._ends.pop()
        except IndexError:
            return
        os.close(end)

    def close(self) -> None:
        """Lets go of it, when nobody looks any more."""
        self.set()
        os.close(self.fd)
