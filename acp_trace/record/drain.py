"""How long to wait for an agent's last bytes once the agent itself is gone. Pure: times are given.

What the agent wrote before it died is still in its pipe, and a slow client may take long to read it:
that has no limit, unless the client has sent a signal and reads no more. But a grandchild can hold the
pipe open for ever (launchers die while the real agent lives on). Once the pipe was seen empty, all that
the agent left is through: silence, or some time, ends the wait.
"""

from __future__ import annotations

from dataclasses import dataclass

SILENCE_NS = 1_000_000_000
LONGEST_NS = 3_000_000_000
#: More than any pipe holds: bytes beyond this were written after the agent's death.
LEFT_BEHIND = 1 << 20


@dataclass(slots=True)
class Drain:
    """Watches one pump after the agent's death at `since` (ns)."""

    since: int
    moved: int  #: bytes that the pump had moved by then
    _progress: int = -1
    _still_since: int = 0  #: when the pump last did something
    _empty_since: int | None = None  #: when the pipe was first seen empty

    def over(self, now: int, *, reading: bool, progress: int, moved: int, hurried: bool) -> bool:
        """Whether waiting on makes no sense, given the pump's state at `now` (ns).

        `reading`: it waits for bytes, not for the client. `hurried`: a signal asked the agent to end.
        """
        if progress != self._progress:
            self._progress, self._still_since = progress, now
        elif reading and self._empty_since is None:  # the same read as at the last look
            self._empty_since = now
        still = now - self._still_since >= SILENCE_NS
        if still and (reading or hurried):
            return True
        if self._empty_since is not None:
            return now - self._empty_since >= LONGEST_NS
        return now - self.since >= LONGEST_NS and moved - self.moved > LEFT_BEHIND
