"""Which frames of both traces belong together, and how much of them is compared."""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.compare.pairing.matching import RequestPair
from acp_trace.story.model import Story


class PairedFrames:
    """Takes in frames that belong together, and counts. No check asks what is in it."""

    def __init__(self) -> None:
        self._pairs: set[tuple[int, int]] = set()
        self.compared = 0  #: frames of the expected trace
        self.unmatched = 0  #: frames of either trace that have no counterpart

    def pair(self, expected: int, actual: int, count: int = 1) -> None:
        """Note frames that belong together; `count` frames of the expected trace were compared."""
        self._pairs.add((expected, actual))
        self.compared += count

    def pair_requests(self, requests: Iterable[RequestPair], expected: Story, actual: Story) -> None:
        """Pair the frames of requests, of their responses, and of the ends of turns."""
        for was, now in requests:
            turns = expected.turns.get(was.frame), actual.turns.get(now.frame)
            have_ends = was.outcome == now.outcome == "result"
            ends = [turn.settled_frame if turn and have_ends else None for turn in turns]
            for frame, actual_frame, count in (
                (was.frame, now.frame, 1),
                (was.response_frame, now.response_frame, 1),
                (ends[0], ends[1], 0),  # counted as what carries it
            ):
                if frame is not None and actual_frame is not None:
                    self.pair(frame, actual_frame, count)
            self.unmatched += (was.response_frame is None) is not (now.response_frame is None)

    @property
    def last_actual(self) -> int:
        """The last frame of the actual trace so far that has a counterpart; 0 if there is none."""
        return max((actual for _, actual in self._pairs), default=0)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The frames that belong together, in the order of the expected trace."""
        return sorted(self._pairs)
