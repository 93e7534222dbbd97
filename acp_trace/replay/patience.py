"""When waiting has gone on for too long, and when what comes is a flood. Pure: times are given, in ns.

What counts as going on is a step that was sent, and any message while there are not far more of them than
were recorded: a flood of messages, or of lines that are none, does not keep a replay alive.
"""

from __future__ import annotations

SECOND = 1_000_000_000
TIMEOUT_NS = 60 * SECOND

#: How many messages after a step still count as going on: so many for each recorded one, and some more.
_TIMES, _MORE = 20, 2000
#: So many times that many messages after a step are a flood: it is over at once.
_FLOOD = 20
#: Bytes of the live side that are a flood, whatever comes.
_BYTES = 64 << 20
#: How long all that is waited for at once may take, in timeouts and in what was recorded.
_LONGEST = 10
#: How long something that makes no request necessary is waited for.
_LATE_LEAST, _LATE_MOST = SECOND, 10 * SECOND


def grace(recorded_ns: int, timeout_ns: int) -> int:
    """How long to wait for what came so long after, when it was recorded."""
    return min(max(_LATE_LEAST, 3 * recorded_ns), _LATE_MOST, timeout_ns)


class Patience:
    """Knows since when nothing went on. `frames`, `size`, `duration_ns`: of the recording."""

    def __init__(self, timeout_ns: int, frames: int, size: int, duration_ns: int) -> None:
        self.timeout_ns = timeout_ns
        self._frames = _TIMES * frames + _MORE
        self._bytes = _TIMES * size + _BYTES
        self._longest = max(_LONGEST * timeout_ns, 3 * duration_ns)
        self._moved = self._stepped = 0
        self._came = self._size = 0

    def step(self, now: int) -> None:
        """A step was sent, or given up."""
        self._moved = self._stepped = now
        self._came = 0

    def message(self, now: int, size: int, *, sound: bool) -> None:
        """Something came; `sound`: it is a message."""
        self._came += 1
        self._size += size
        if sound and self._came <= self._frames:
            self._moved = now

    @property
    def flooded(self) -> bool:
        """Whether more came than anything recorded explains."""
        return self._size > self._bytes or self._came > _FLOOD * self._frames

    @property
    def drowned(self) -> bool:
        """Whether what came since the last step is far more than was recorded: it never came to the point."""
        return self._came > self._frames

    @property
    def halfway(self) -> int:
        """When half of what is enough is over."""
        return self._moved + self.timeout_ns // 2

    @property
    def deadline(self) -> int:
        """When it is enough."""
        return min(self._moved + self.timeout_ns, self._stepped + self._longest)
