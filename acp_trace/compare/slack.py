"""Where something may be missing, or too much, because nobody can tell: after a cancel, at a torn end.

How far an agent gets before a cancel reaches it is chance, so what comes after one may be missing, and
there may be more. What would follow the end of a trace that has none is not known.
"""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.compare.story import Session, Story, Where


class Slack(NamedTuple):
    """`extra`: whether there may be more. `missing_after`: what comes after this frame may be missing."""

    extra: bool = False
    missing_after: int | None = None

    def may_miss(self, frame: int) -> bool:
        """Whether what stands at this frame of the first trace may be missing from the second."""
        return self.missing_after is not None and frame > self.missing_after


NONE = Slack()


def cancels(found: facts.Facts) -> dict[int, int]:
    """The frame of the first cancel that was aimed at a request, by the frame of that."""
    aimed: dict[int, int] = {}
    for one in found.cancellations:
        if one.kind != "internal" and one.target_frame is not None:
            aimed.setdefault(one.target_frame, one.frame)
    return aimed


def between(a: Story, b: Story) -> Slack:
    """The slack of what belongs to no turn."""
    return Slack(not a.whole, None if b.whole else -1)


class Slacks:
    """The slack of each turn."""

    def __init__(self, a: Story, b: Story) -> None:
        self._a, self._b = a, b
        self._cancels_a, self._cancels_b = cancels(a.facts), cancels(b.facts)

    def of(self, one: Session, other: Session, where: Where, there: Where) -> Slack:
        """The slack of a part of a session, which the second trace calls `there`."""
        turn, its = self._a.turn_at(one.id, where), self._b.turn_at(other.id, there)
        if turn is None or its is None:
            return between(self._a, self._b)
        cancel = self._cancels_a.get(turn.frame)
        if cancel is not None and its.frame in self._cancels_b:
            return Slack(True, cancel)
        cut_a = turn.settled_frame is None and not self._a.whole
        cut_b = its.settled_frame is None and not self._b.whole
        return Slack(cut_a, -1 if cut_b else None)
