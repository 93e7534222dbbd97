"""How long to wait for an agent's last bytes once the agent itself is gone. Pure: times are given.

What the agent wrote before it died is still in its pipe, and a slow client may take long to read it:
that has no limit, unless the client has sent a signal and reads no more. But a grandchild can hold the
pipe open for ever (launchers die while the real agent lives on), silent or talking. So the question is
when all that the agent left is through. The pump tells: it waits for bytes now, and either did so at
the last look already, or one of its reads since was shorter than it might have been. A pipe gives less
than was asked for only when it has no more: it was empty once, and the agent fills it no longer. Or more
bytes came than any pipe holds. From then on silence, or some time since the agent's end, ends the wait.
"""

from __future__ import annotations

SILENCE_NS = 1_000_000_000
LONGEST_NS = 3_000_000_000
#: What a pump asks for in one read: what a Linux pipe holds; larger reads measured slower.
BLOCK = 1 << 16
#: More than any pipe holds (1 MiB) and a pump may have in its hands: bytes beyond this were written
#: after the agent's death.
LEFT_BEHIND = (1 << 20) + 2 * BLOCK


class Drain:
    """Watches one pump after the agent's death at `since` (ns); by then it had read `moved` bytes."""

    def __init__(self, since: int, moved: int) -> None:
        self.since = since
        self.moved = moved
        self._first: tuple[int, int] | None = None  #: reads and bytes at the first look
        self._progress = -1
        self._still_since = 0  #: when the pump was first seen with so many reads done
        self._waiting_since: int | None = (
            None  #: when it was first seen waiting for the read that it waits for
        )
        self._through = False  #: all that the agent left is read and forwarded

    def over(self, now: int, *, reading: bool, progress: int, moved: int, hurried: bool) -> bool:
        """Whether waiting on makes no sense, given the pump's state at `now` (ns).

        `progress` and `moved`: how many reads it has done, and how many bytes they gave. `reading`: it
        waits for bytes, not for the client; to be asked after the other two, so that what they count is
        forwarded. `hurried`: a signal asked the agent to end.
        """
        fresh = progress != self._progress
        if fresh:
            self._progress, self._still_since = progress, now
        waited = -1  # not seen at an earlier look
        if not reading:
            self._waiting_since = None
        elif fresh or self._waiting_since is None:
            self._waiting_since = now
        else:
            waited = now - self._waiting_since
        if waited >= SILENCE_NS or (hurried and now - self._still_since >= SILENCE_NS):
            return True
        if self._first is None:
            self._first = progress, moved
        if moved - self.moved > LEFT_BEHIND or (reading and (waited >= 0 or self._short(progress, moved))):
            self._through = True
        return self._through and now - self.since >= LONGEST_NS

    def _short(self, progress: int, moved: int) -> bool:
        """Whether a read was short, of those that certainly began after the agent's death.

        That is all but the first one after the first look: it may have been under way.
        """
        reads, size = self._first or (progress, moved)
        return moved - size < (progress - reads - 1) * BLOCK
