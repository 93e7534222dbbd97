"""Which pieces of a message an agent streamed while its tool calls were open: beside them, in no order.

Where the requests of such a tool cut the message is chance. Nothing here reports anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from acp_trace.compare.pairing.align import Barriers
from acp_trace.compare.story.model import Call, Section


def cut_by_chance(expected: Section, actual: Section, kind: str, barriers: Barriers) -> set[int]:
    """The gaps between barriers in which it is chance whether there is a piece of a message of this kind.

    Empty unless both agents stream such messages beside their tools.
    """
    sides = _beside(expected, kind, barriers.expected), _beside(actual, kind, barriers.actual)
    return set[int]() if None in sides else set[int]().union(*(side for side in sides if side))


def _beside(section: Section, kind: str, segment: Callable[[int], int]) -> set[int] | None:
    """The gaps all of whose pieces came while a tool call was open; None if no piece at all did."""
    begins, ends = _open(section.calls)
    inside: set[int] = set()
    outside: set[int] = set()
    for run in section.messages.get(kind, ()):
        at = bisect_right(begins, run.frame) - 1
        is_open = at >= 0 and run.frame < ends[at]
        (inside if is_open else outside).add(segment(run.frame))
    return inside - outside if inside else None


def _open(calls: Iterable[Call]) -> tuple[list[int], list[int]]:
    """From which frames on, and up to which, at least one tool call was open."""
    begins: list[int] = []
    ends: list[int] = []
    for begin, end in sorted((call.frame, call.last if call.end is None else call.end) for call in calls):
        if ends and begin <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            begins.append(begin)
            ends.append(end)
    return begins, ends
