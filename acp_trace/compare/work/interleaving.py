"""Where chance cuts the messages of an agent that streams them in parallel to its tools or its answers.

Which request of a tool cuts a message is chance, and so is which end of a turn's text only comes after the
next prompt. Nothing here yields divergences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from acp_trace.compare.pairing.align import Barriers
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize.pointers import Path
from acp_trace.story.model import Call, Section, SessionPhase, SessionStory


def cut_by_chance(expected: Section, actual: Section, kind: str, barriers: Barriers) -> set[int]:
    """Return the gaps between barriers in which a piece of a message of this kind may or may not appear.

    Empty unless both agents stream such messages in parallel to their tools.
    """
    sides = _beside(expected, kind, barriers.expected), _beside(actual, kind, barriers.actual)
    return set[int]() if None in sides else set[int]().union(*(side for side in sides if side))


def _beside(section: Section, kind: str, segment: Callable[[int], int]) -> set[int] | None:
    """Return the gaps whose pieces all came while a tool call was open; None if no piece did."""
    begins, ends = _open(section.calls)
    inside: set[int] = set()
    outside: set[int] = set()
    for run in section.messages.get(kind, ()):
        at = bisect_right(begins, run.frame) - 1
        is_open = at >= 0 and run.frame < ends[at]
        (inside if is_open else outside).add(segment(run.frame))
    return inside - outside if inside else None


def _open(calls: Iterable[Call]) -> tuple[list[int], list[int]]:
    """Return the frames from which on, and up to which, at least one tool call was open."""
    begins: list[int] = []
    ends: list[int] = []
    for begin, end in sorted((call.frame, call.last if call.end is None else call.end) for call in calls):
        if ends and begin <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            begins.append(begin)
            ends.append(end)
    return begins, ends


def carried_over(
    traces: TracePair,
    kind: str,
    path: Path,
    expected: tuple[SessionStory, SessionPhase],
    actual: tuple[SessionStory, SessionPhase],
) -> tuple[str, str]:
    """Return the text with which each trace's turn may begin: the end of the previous one that came late.

    `path`: the place of the text in its frames.
    """
    was = traces.expected_uncounted.shown(_before(*expected, kind), path)
    now = traces.actual_uncounted.shown(_before(*actual, kind), path)
    if was.startswith(now):
        return "", was[len(now) :]
    return now[len(was) :] if now.startswith(was) else "", ""


def _before(session: SessionStory, where: SessionPhase, kind: str) -> str:
    """Return everything that a message of the previous turn shows, also after the turn's end."""
    parts = (session.sections.get(SessionPhase(part, where.number - 1)) for part in ("turn", "after"))
    runs = (run for section in parts if section is not None for run in section.messages.get(kind, ()))
    return "".join(run.shown.text for run in runs if run.shown is not None)
