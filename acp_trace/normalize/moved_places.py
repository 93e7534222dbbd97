"""Matching directories of two traces: one name for both, a different one for each pair.

Two sessions in two directories stay apart. If one trace has both in one directory, they cannot be separated
there, so all of these directories have one name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from acp_trace.normalize import windows
from acp_trace.normalize.directories import HERE, Directories

#: Which trace, 0 for the recording and 1 for the run, and a directory of it (`windows.key`).
_Place = tuple[int, str | tuple[str, ...]]


@dataclass(frozen=True)
class MovedPlaces:
    """The moved directories. `pairs`: recorded and actual directory, the longest recorded one first.

    `together`: all matching directories, in the order in which they get their names.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    together: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls, pairs: Iterable[tuple[str, str]], unless_named: Iterable[tuple[str, str]] = ()
    ) -> MovedPlaces:
        """Return the places for pairs in order of precedence: the first pair of a recorded directory counts.

        `unless_named`: pairs that count unless both of their directories are in earlier pairs.
        """
        together = [(_plain(recorded), _plain(actual)) for recorded, actual in pairs]
        sides = [{pair[side] for pair in together} for side in (0, 1)]
        for recorded, actual in unless_named:
            pair = _plain(recorded), _plain(actual)
            if pair[0] not in sides[0] or pair[1] not in sides[1]:
                together.append(pair)
                for named, directory in zip(sides, pair, strict=True):
                    named.add(directory)
        first: dict[str, str] = {}
        for recorded, actual in together:
            if not windows.is_root(recorded) and not windows.is_root(actual):
                first.setdefault(recorded, actual)
        longest = sorted(first.items(), key=lambda pair: -len(pair[0]))
        return cls(tuple(longest), tuple(together))

    @cached_property
    def recorded(self) -> Directories:
        """The directories of the recording."""
        return self._side(0)

    @cached_property
    def actual(self) -> Directories:
        """The directories of the run, under the same names."""
        return self._side(1)

    def _side(self, side: int) -> Directories:
        # The longest recorded one first: if a text shows the end of two, both sides choose the same.
        longest = sorted(self.together, key=lambda pair: -len(pair[0]))
        return Directories(
            {pair[side]: self._names[side, windows.key(pair[side])] for pair in longest}, self.pairs
        )

    @cached_property
    def _names(self) -> dict[_Place, str]:
        """Return the name of each directory: one for all that are linked by pairs."""
        linked: dict[_Place, list[_Place]] = {}
        for recorded, actual in (map(windows.key, pair) for pair in self.together):
            linked.setdefault((0, recorded), []).append((1, actual))
            linked.setdefault((1, actual), []).append((0, recorded))
        names: dict[_Place, str] = {}
        number = 0
        for place in linked:
            if place in names:
                continue
            number += 1
            left = [place]
            while left:
                each = left.pop()
                if each not in names:
                    names[each] = HERE if number == 1 else f"{HERE[:-1]} {number}›"
                    left += linked[each]
        return names


def _plain(directory: str) -> str:
    return directory if windows.is_root(directory) else directory.rstrip("/\\")
