"""Divergences, by the frames that they are about. Pure.

A flood has as many incidents as divergences: a look-up must not scan all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from acp_trace.compare.result import Divergence
from acp_trace.replay.incidents import Incident
from acp_trace.story.frame_event import FrameEvent


class DivergenceIndex:
    """The comparison's divergences, in order. `actual` is always the frame of an incident."""

    def __init__(self, divergences: Iterable[Divergence]) -> None:
        self._all: list[Divergence | None] = list(divergences)
        self._actual: dict[int, list[int]] = defaultdict(list)
        self._expected: dict[int, list[int]] = defaultdict(list)
        common: list[tuple[int, int]] = []
        for place, divergence in enumerate(self._all):
            if divergence is None:
                continue
            if divergence.got_event is not None:
                self._actual[divergence.got_event.frame].append(place)
            if divergence.expected_event is not None:
                self._expected[divergence.expected_event.frame].append(place)
            if divergence.common_got is not None:
                common.append((divergence.common_got.frame, -place))
        self._common = sorted(common)

    def place(self, incident: Incident, actual: FrameEvent | None, codes: frozenset[str]) -> int | None:
        """Return the place of the first divergence with one of these codes at an incident's frame."""
        return next(self._about(incident, actual, codes), None)

    def explain(self, place: int, reason: str) -> None:
        """Add a reason to the message of the divergence at a place."""
        divergence = self._all[place]
        assert divergence is not None
        self._all[place] = replace(divergence, message=f"{divergence.message} ({reason})")

    def remove(self, incident: Incident, actual: FrameEvent | None, codes: frozenset[str]) -> None:
        """Remove divergences with one of these codes at the frame of an incident."""
        for place in list(self._about(incident, actual, codes)):
            self._all[place] = None

    def before(self, actual: FrameEvent | None) -> Divergence | None:
        """Return the divergence with the latest common event before this frame; None if there is none."""
        at = 0 if actual is None else bisect_left(self._common, (actual.frame, -len(self._all)))
        left = (self._all[-self._common[index][1]] for index in range(at - 1, -1, -1))
        return next((divergence for divergence in left if divergence is not None), None)

    def left(self) -> Iterator[Divergence]:
        """Yield those that were not removed, in order."""
        return (divergence for divergence in self._all if divergence is not None)

    def _about(self, incident: Incident, actual: FrameEvent | None, codes: frozenset[str]) -> Iterator[int]:
        places = self._expected.get(incident.expected or 0, ())
        for place in places if actual is None else self._actual.get(actual.frame, ()):
            divergence = self._all[place]
            if divergence is not None and divergence.code in codes:
                yield place
