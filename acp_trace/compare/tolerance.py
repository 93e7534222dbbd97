"""Where something may be missing, or too much, because nobody can tell: after a cancel, at a torn end.

How far an agent gets before a cancel reaches it is chance, so what comes after one may be missing, and
there may be more. When a cancel is sent is chance, too: a second trace that is cancelled earlier may lack
what comes after the last thing that both had before it. What would follow the end of a trace that has none
is not known.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.compare import pointers
from acp_trace.compare.align import align
from acp_trace.compare.story import SessionStory, Story, Where
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.update_kinds import TOOL_CALLS
from acp_trace.trace.jsontext import value_or_none


class Tolerance(NamedTuple):
    """`extra`: whether there may be more. `missing_after`: what comes after this frame may be missing."""

    extra: bool = False
    missing_after: int | None = None

    def may_miss(self, frame: int) -> bool:
        """Whether what stands at this frame of the first trace may be missing from the second."""
        return self.missing_after is not None and frame > self.missing_after


NONE = Tolerance()


def cancels(found: facts.Facts) -> dict[int, int]:
    """The frame of the first cancel that was aimed at a request, by the frame of that."""
    aimed: dict[int, int] = {}
    for one in found.cancellations:
        if one.kind != "internal" and one.target_frame is not None:
            aimed.setdefault(one.target_frame, one.frame)
    return aimed


def between(a: Story, b: Story) -> Tolerance:
    """The tolerance of what belongs to no turn."""
    return Tolerance(not a.whole, None if b.whole else -1)


class Tolerances:
    """The tolerance of each turn."""

    def __init__(self, a: Story, b: Story) -> None:
        self._a, self._b = a, b
        self._cancels_a, self._cancels_b = cancels(a.facts), cancels(b.facts)

    def of(self, one: SessionStory, other: SessionStory, where: Where, there: Where) -> Tolerance:
        """The tolerance of a part of a session, which the second trace calls `there`."""
        turn, its = self._a.turn_at(one.id, where), self._b.turn_at(other.id, there)
        if turn is None or its is None:
            return between(self._a, self._b)
        cancel = self._cancels_a.get(turn.frame)
        if cancel is not None and its.frame in self._cancels_b:
            ours = _work(self._a, one.id, turn.frame, cancel)
            theirs = _work(self._b, other.id, its.frame, self._cancels_b[its.frame])
            both = align([key for key, _ in ours], [key for key, _ in theirs])
            return Tolerance(True, ours[both[-1][0]][1] if both else turn.frame)
        cut_a = turn.settled_frame is None and not self._a.whole
        cut_b = its.settled_frame is None and not self._b.whole
        return Tolerance(cut_a, -1 if cut_b else None)


def _work(story: Story, session_id: str, begin: int, end: int) -> list[tuple[Hashable, int]]:
    """What an agent did between two frames, by kind and without repetitions, with the last frame of each."""
    first = bisect_right(story.seen, begin, key=lambda one: one.frame)
    found: list[tuple[Hashable, int]] = []
    for seen in story.seen[first:]:
        if seen.frame >= end:
            break
        if seen.sender != "agent" or seen.session_id != session_id or seen.kind is MessageKind.RESPONSE:
            continue
        key = [seen.method, seen.update]
        if seen.update in TOOL_CALLS:
            update = pointers.at(value_or_none(seen.text), ("params", "update"))
            told = [pointers.at(update, (name,)) for name in ("kind", "status")]
            key += [one if isinstance(one, str) else None for one in told]
        if found and found[-1][0] == tuple(key):
            found.pop()
        found.append((tuple(key), seen.frame))
    return found
