"""How long, and through how many messages, a conversation may go on without getting further. Pure.

Times are given, in ns of one clock.
"""

from __future__ import annotations

from acp_trace.replay.timeouts import (
    FLOOD_BYTES,
    FLOOD_TIMES,
    LONGEST_TIMES,
    MESSAGES_MORE,
    MESSAGES_TIMES,
    RECORDED_TIMES,
)


class Patience:
    """When waiting has gone on for too long, and when what comes is a flood.

    What counts as going on is a step that was sent, and any message while there are not far more of them than
    were recorded: a flood of messages, or of lines that are none, does not keep a replay alive. `frames`,
    `size` (bytes) and `duration_ns` are those of the recording.
    """

    def __init__(self, timeout_ns: int, frames: int, size: int, duration_ns: int) -> None:
        self.timeout_ns = timeout_ns
        self._frames = MESSAGES_TIMES * frames + MESSAGES_MORE
        self._bytes = MESSAGES_TIMES * size + FLOOD_BYTES
        self._longest = max(LONGEST_TIMES * timeout_ns, RECORDED_TIMES * duration_ns)
        self._moved = self._stepped = 0
        self._came = self._size = 0

    def on_step(self, now: int) -> None:
        """A step was sent, or given up."""
        self._moved = self._stepped = now
        self._came = 0

    def on_line(self, now: int, size: int, *, sound: bool) -> None:
        """A line of so many bytes came; `sound`: it is a message."""
        self._came += 1
        self._size += size
        if sound and self._came <= self._frames:
            self._moved = now

    @property
    def is_flooded(self) -> bool:
        """Whether more came than anything recorded explains."""
        return self._size > self._bytes or self._came > FLOOD_TIMES * self._frames

    @property
    def is_drowned(self) -> bool:
        """Whether what came since the last step is far more than was recorded: it never came to the point."""
        return self._came > self._frames

    @property
    def halfway(self) -> int:
        """When half of what is enough is over, in ns."""
        return self._moved + self.timeout_ns // 2

    @property
    def deadline(self) -> int:
        """When it is enough, in ns."""
        return min(self._moved + self.timeout_ns, self._stepped + self._longest)
