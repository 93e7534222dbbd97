"""How long to wait for an agent's last bytes once the agent itself is gone. Pure: times are given.

What the agent wrote before it died is still in its pipe, and a slow client may take long to read it:
that has no limit. But a grandchild can hold the pipe open for ever (launchers die while the real
agent lives on): silence, or a flood that no dead agent can have left behind, ends the wait.
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
    _quiet_since: int = 0

    def over(self, now: int, *, reading: bool, progress: int, moved: int) -> bool:
        """Whether waiting on makes no sense, given the pump's state at `now` (ns)."""
        if progress != self._progress or not reading:
            self._progress, self._quiet_since = progress, now
        if now - self._quiet_since >= SILENCE_NS:
            return True
        return now - self.since >= LONGEST_NS and moved - self.moved > LEFT_BEHIND
