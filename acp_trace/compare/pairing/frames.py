"""Which frames of both traces match, and how many are compared.

Checks yield these beside divergences. They add up in any order: checks do not depend on each other here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acp_trace.compare.pairing.matching import RequestPair
from acp_trace.story.model import Story


class ComparedFrames(NamedTuple):
    """A part of what was compared. `pair`: a matching expected and actual frame."""

    pair: tuple[int, int] | None = None
    frames: int = 0  #: of the expected trace
    unmatched: int = 0  #: frames of either trace that have no counterpart


def together(expected: int, actual: int, count: int = 1) -> ComparedFrames:
    """Return a pair of matching frames; `count` frames of the expected trace were compared."""
    return ComparedFrames((expected, actual), count)


def of_requests(requests: Iterable[RequestPair], expected: Story, actual: Story) -> Iterator[ComparedFrames]:
    """Yield the frames of requests, of their responses, and of the ends of turns."""
    for was, now in requests:
        turns = expected.turns.get(was.frame), actual.turns.get(now.frame)
        have_ends = was.outcome == now.outcome == "result"
        ends = [turn.settled_frame if turn and have_ends else None for turn in turns]
        for frame, actual_frame, count in (
            (was.frame, now.frame, 1),
            (was.response_frame, now.response_frame, 1),
            (ends[0], ends[1], 0),  # counted with the frame that carries it
        ):
            if frame is not None and actual_frame is not None:
                yield together(frame, actual_frame, count)
        yield ComparedFrames(unmatched=(was.response_frame is None) is not (now.response_frame is None))


def pairs(compared: Iterable[ComparedFrames]) -> list[tuple[int, int]]:
    """Return the matching frames, in the order of the expected trace."""
    return sorted({each.pair for each in compared if each.pair is not None})


def total(compared: Iterable[ComparedFrames]) -> ComparedFrames:
    """Return how many frames were compared, and how many have no counterpart."""
    counts = [(each.frames, each.unmatched) for each in compared]
    return ComparedFrames(
        None, sum(frames for frames, _ in counts), sum(unmatched for _, unmatched in counts)
    )
