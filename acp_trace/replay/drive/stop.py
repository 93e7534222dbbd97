"""One wish to stop, from any thread, felt by every loop that waits for its pipes."""

from __future__ import annotations

import os
import threading


class Stop:
    """Readable from when it is set: what polls it wakes up, and what waits for the event, too."""

    def __init__(self) -> None:
        self.fd, self._end = os.pipe()
        self.event = threading.Event()

    def set(self) -> None:
        """Stops everything that looks at it. For good."""
        if not self.event.is_set():
            self.event.set()
            os.close(self._end)

    def close(self) -> None:
        """Lets go of it, when nobody looks any more."""
        self.set()
        os.close(self.fd)
