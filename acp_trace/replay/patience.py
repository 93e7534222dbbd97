"""When waiting has gone on for too long, and when what comes is a flood. Pure: times are given, in ns.

What counts as going on is a step that was sent, and any message while there are not far more of them than
were recorded: a flood of messages, or of lines that are none, does not keep a replay alive.
"""

from __future__ import annotations

from acp_trace.replay.limits import (
    FLOOD_BYTES,
    FLOOD_TIMES,
    LONGEST_TIMES,
    MESSAGES_MORE,
    MESSAGES_TIMES,
    RECORDED_TIMES,
)


class Patience:
    """Knows since when nothing went on. `frames`, `size`, `duration_ns`: of the recording."""

    def __init__(self, timeout_ns: int, frames: int, size: int, duration_ns: int) -> None:
        self.timeout_ns = timeout_ns
        self._frames = MESSAGES_TIMES * frames + MESSAGES_MORE
        self._bytes = MESSAGES_TIMES * size + FLOOD_BYTES
        self._longest = max(LONGEST_TIMES * timeout_ns, RECORDED_TIMES * duration_ns)
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
        return self._size > self._bytes or self._came > FLOOD_TIMES * self._frames

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
