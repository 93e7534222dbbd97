"""What a matched pair teaches: which id of the run corresponds to which of the recording.

An id that the model made is the same in both: the run got it from the recording. Each run makes all other ids
itself, and uses them alike: one id in the recording corresponds to one id in the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class LearnedIds:
    """Ids that are known to correspond. `fixed`: those that the model made."""

    def __init__(self, fixed: Iterable[str] = ()) -> None:
        self.fixed = frozenset(fixed)
        self.actual: dict[str, str] = {}  #: by the recorded id
        self.recorded: dict[str, str] = {}  #: by that of the run

    def pairs(self, recorded: Sequence[str], actual: Sequence[str]) -> dict[str, str] | None:
        """Return the differing ids of two texts, by the recorded id; None if they are not used alike."""
        if recorded == actual:
            return {}
        if len(recorded) != len(actual):
            return None
        by_recorded: dict[str, str] = {}
        by_actual: dict[str, str] = {}
        for was, now in zip(recorded, actual, strict=True):
            if was != now and (was in self.fixed or now in self.fixed):
                return None
            if by_recorded.setdefault(was, now) != now or by_actual.setdefault(now, was) != was:
                return None
        return {was: now for was, now in by_recorded.items() if was != now}

    def conflicts(self, pairs: dict[str, str]) -> int:
        """Return how many of these pairs contradict those learned before."""
        return sum(
            self.actual.get(was, now) != now or self.recorded.get(now, was) != was
            for was, now in pairs.items()
        )

    def learn(self, pairs: dict[str, str]) -> None:
        """Keep pairs. The last one counts: an agent may make a new id for each request."""
        for was, now in pairs.items():
            self.actual[was] = now
            self.recorded[now] = was
