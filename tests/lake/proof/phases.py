"""The phases of a build in which it is killed: a table, and how many kills of a number fall to each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from acp_trace.places.place import SharedPlace
from acp_trace.team.lake import log, names

STARTING = "starting"


class Phase(NamedTuple):
    """`shares`: of thirty kills. `often`: how often a build comes there for each trace, roughly; 0: seldom.

    `shows` says whether a place looks so, when something stands there at an object of this name.
    """

    name: str
    shares: int
    often: float
    shows: Callable[[SharedPlace, str], bool]

    def nth(self, traces: int, chance: random.Random) -> int:
        """The how many-th time of a build that has so many traces to do: in its first half."""
        return chance.randint(1, max(3, int(self.often * traces / 2)))


def _half_written(place: SharedPlace, name: str) -> bool:
    staged = place.path_of(f"{name}#1")
    return staged is not None and staged.exists() and not place.has(name)


def _not_committed(place: SharedPlace, name: str) -> bool:
    group = names.group_of(name)
    if group is None:  # the commit itself
        return not place.has(name)
    return place.has(name) and group not in log.newest(place).groups


PHASES = {
    each.name: each
    for each in (
        #: Nothing has been read.
        Phase(STARTING, 3, 0, lambda _, name: not name),
        #: Traces are read, and become the files of a group; none of them is put.
        Phase("deriving", 4, 1, lambda place, name: not name or place.has(name)),
        #: A part of a table's file is written, and it has no name.
        Phase("putting", 6, 5, _half_written),
        #: A part of a group's files is put.
        Phase("between files", 5, 4, _not_committed),
        #: All files of a group are put, or of all that a commit is about.
        Phase("before the commit", 5, 0.5, _not_committed),
        #: A part of the commit is written, and it has no name.
        Phase("committing", 4, 0, _half_written),
        #: The commit is there, and who put it does not know yet.
        Phase("after a commit", 3, 0, lambda place, name: place.has(name)),
    )
}


def plan(kills: int, chance: random.Random) -> list[Phase]:
    """A phase for each kill, in any order: as many of each as its share says."""
    given = Counter[str]()
    for _ in range(kills):
        most = max(PHASES.values(), key=lambda each: each.shares / (2 * given[each.name] + 1))
        given[most.name] += 1
    made = [PHASES[name] for name in given.elements()]
    chance.shuffle(made)
    return made


def told(hits: Counter[str]) -> str:
    """How many kills hit which phase, in their order."""
    return "phases: " + ", ".join(f"{hits[name]} {name}" for name in PHASES if hits[name])
