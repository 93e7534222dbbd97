"""Directories that have moved between a recording and a run.

Recorded and actual directories get one name in all texts (`directories`), each pair its own: two sessions in
two directories stay apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from acp_trace.normalize.directories import Directories


@dataclass(frozen=True)
class MovedPlaces:
    """What has moved. `pairs`: recorded and actual directory, the longest recorded one first."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> MovedPlaces:
        """Of pairs in any order. The first of a recorded directory counts; roots and equal ones do not."""
        first: dict[str, str] = {}
        for recorded, actual in pairs:
            name = recorded.rstrip("/\\")
            if name and actual.rstrip("/\\") and not name.endswith(":"):
                first.setdefault(name, actual.rstrip("/\\"))
        return cls(tuple(sorted(first.items(), key=lambda pair: -len(pair[0]))))

    @cached_property
    def recorded(self) -> Directories:
        """The directories of the recording."""
        return self._side(0)

    @cached_property
    def actual(self) -> Directories:
        """Those of the run, under the same names."""
        return self._side(1)

    def _side(self, side: int) -> Directories:
        numbers: dict[str, int] = {}
        for _, actual in self.pairs:
            numbers.setdefault(actual, len(numbers))
        names: dict[str, str] = {}
        for pair in self.pairs:
            names.setdefault(pair[side], f"‹directory {numbers[pair[1]]}›")
        return Directories(names, self.pairs)
