"""How long to wait for an agent's last bytes after the agent has ended. Pure: times are given.

What the agent wrote before it ended is still in its pipe, and a slow client may take long to read it: that
wait has no limit, unless the client has sent a signal and stopped reading. But a grandchild can hold the pipe
open for ever (launchers end while the real agent lives on), silent or talking. So the question is when
everything that the agent left is through. The pump's state answers it: it waits for bytes now, and either was
waiting at the previous look, or one of its reads since was shorter than requested. A pipe returns less than
requested only when it has no more: it was empty once, and the agent no longer fills it. Or more bytes came
than any pipe holds. From then on silence, or some time since the agent's end, ends the wait.
"""

from __future__ import annotations

SILENCE_NS = 1_000_000_000
LONGEST_NS = 3_000_000_000
#: Bytes that a pump requests in one read: the size of a Linux pipe; larger reads measured slower.
BLOCK = 1 << 16
#: More than any pipe holds (1 MiB) and a pump may have buffered: further bytes were written after the agent
#: ended.
LEFT_BEHIND = (1 << 20) + 2 * BLOCK


class Drain:
    """Watches one pump after the agent's death at `since` (ns); by then it had read `moved` bytes."""

    def __init__(self, since: int, moved: int) -> None:
        self.since = since
        self.moved = moved
        self._first: tuple[int, int] | None = None  #: reads and bytes at the first look
        self._progress = -1
        self._still_since = 0  #: when the pump was first seen with this number of reads
        self._waiting_since: int | None = None  #: when it was first seen in its current wait
        self._through = False  #: everything that the agent left is read and forwarded

    def over(self, now: int, *, reading: bool, progress: int, moved: int, hurried: bool) -> bool:
        """Whether to stop waiting, given the pump's state at `now` (ns).

        `progress` and `moved`: how many reads it has done, and how many bytes they returned. `reading`: it
        waits for bytes, not for the client; read it after the other two, so that their counts are of
        forwarded data. `hurried`: a signal asked the agent to end.
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
        """Whether a read was short, among those that certainly began after the agent's death.

        The first read after the first look does not count: it may have been under way.
        """
        reads, size = self._first or (progress, moved)
        return moved - size < (progress - reads - 1) * BLOCK
