"""Divergences, found by the frames that they are about. Pure.

A flood has as many incidents as divergences: each lookup takes time for what it finds, not for what there is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from acp_trace.compare.result import Divergence, FrameEvent
from acp_trace.replay.incidents import Incident


class ByFrame:
    """What the comparison found, in its order."""

    def __init__(self, found: Iterable[Divergence]) -> None:
        self._all: list[Divergence | None] = list(found)
        self._got: dict[int, list[int]] = defaultdict(list)
        self._expected: dict[int, list[int]] = defaultdict(list)
        common: list[tuple[int, int]] = []
        for number, one in enumerate(self._all):
            if one is None:
                continue
            if one.got_event is not None:
                self._got[one.got_event.frame].append(number)
            if one.expected_event is not None:
                self._expected[one.expected_event.frame].append(number)
            if one.common_got is not None:
                common.append((one.common_got.frame, -number))
        self._common = sorted(common)

    def place(self, incident: Incident, got: FrameEvent | None, codes: frozenset[str]) -> int | None:
        """The first one with one of these codes that is about the frame of an incident; `got`: that frame."""
        return next(self._about(incident, got, codes), None)

    def explain(self, place: int, why: str) -> None:
        """Adds a reason to a message."""
        found = self._all[place]
        assert found is not None
        self._all[place] = replace(found, message=f"{found.message} ({why})")

    def remove(self, incident: Incident, got: FrameEvent | None, codes: frozenset[str]) -> None:
        """Removes those with one of these codes that are about the frame of an incident."""
        for place in list(self._about(incident, got, codes)):
            self._all[place] = None

    def before(self, got: FrameEvent | None) -> Divergence | None:
        """The one with the last frame before this one that both traces have."""
        at = 0 if got is None else bisect_left(self._common, (got.frame, -len(self._all)))
        left = (self._all[-self._common[place][1]] for place in range(at - 1, -1, -1))
        return next((one for one in left if one is not None), None)

    def left(self) -> Iterator[Divergence]:
        """Those that were not removed, in their order."""
        return (one for one in self._all if one is not None)

    def _about(self, incident: Incident, got: FrameEvent | None, codes: frozenset[str]) -> Iterator[int]:
        places = self._expected.get(incident.expected or 0, ())
        for place in places if got is None else self._got.get(got.frame, ()):
            one = self._all[place]
            if one is not None and one.code in codes:
                yield place
