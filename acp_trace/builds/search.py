"""The search of `bisect`: it takes the results of builds, and says which build to try next. Pure.

The builds are in their order. Somewhere between the first and the last one, the behaviour changed: every
build before that place is `older`, every build from there on is `newer`. Both ends are tried first, which
shows that the range has such a place. After that, the middle build of those that may still be tried halves
the range. A build that cannot be tried is `skipped`: it shows nothing, and its neighbour is tried instead. If
only skipped builds are left between the last older and the first newer one, the place is one of them, or
just behind them: these are the candidates.

This module does not know which is good or bad: `--find-fix` only exchanges the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Found = Literal["older", "newer", "skipped"]
#: After this many skipped builds their neighbours probably fail too, so the search looks further away.
_MANY = 3


@dataclass(slots=True)
class Search:
    """A search among `count` builds, numbered from 0. `found`: the results so far."""

    count: int
    found: dict[int, Found] = field(default_factory=dict)

    @property
    def wrong(self) -> int | None:
        """The end that is not what it should be, so that nothing can be found; None if both are right."""
        last = self.count - 1
        for at, due in ((0, "older"), (last, "newer")):
            if at in self.found and self.found[at] != due:
                return at
        return None

    @property
    def last_older(self) -> int:
        """The newest build that is known to be older, or the first one if none is known yet."""
        first = self.first_newer
        return max((at for at, found in self.found.items() if found == "older" and at < first), default=0)

    @property
    def first_newer(self) -> int:
        """The oldest build that is known to be newer, or the last one if none is known yet."""
        return min((at for at, found in self.found.items() if found == "newer"), default=self.count - 1)

    @property
    def open(self) -> list[int]:
        """The builds between these two that were not tried yet."""
        return [at for at in range(self.last_older + 1, self.first_newer) if at not in self.found]

    @property
    def due(self) -> int | None:
        """The build that is to be tried next; None if the search is over."""
        wrong = self.wrong
        if (
            wrong is None or self.found[wrong] == "skipped"
        ):  # then the other end says whether any can be tried
            for end in (0, self.count - 1):
                if end not in self.found:
                    return end
        if wrong is not None:
            return None
        left = self.open
        if not left:
            return None
        between = range(self.last_older + 1, self.first_newer)
        skipped = sum(self.found.get(at) == "skipped" for at in between)
        return left[_place(len(left), skipped)]

    @property
    def candidates(self) -> list[int]:
        """Where the behaviour may have changed, at the end: one build, or also skipped ones before it."""
        return list(range(self.last_older + 1, self.first_newer + 1))

    def take(self, at: int, found: Found) -> None:
        """Add the result of a build."""
        self.found[at] = found

    def ahead(self) -> list[int]:
        """The builds that may come next, for each thing that may be found of the one that is due.

        They can be installed meanwhile.
        """
        due = self.due
        if due is None:
            return []
        next_ = []
        for found in ("newer", "older", "skipped"):
            after = Search(self.count, {**self.found, due: found})
            if due in (0, self.count - 1):  # an end is what it should be, most often
                after.found |= {0: "older", self.count - 1: "newer"}
            next_.append(after.due)
        others = [at for at in (0, self.count - 1) if at not in self.found and at != due]
        return [at for at in dict.fromkeys([*others, *next_]) if at is not None and at != due]


def _place(count: int, skipped: int) -> int:
    """Which of `count` builds is tried: the middle one, or if many were skipped 1/4, 3/4, 1/8, 5/8."""
    number = skipped - _MANY + 2  # 1 is the middle itself
    if number < 2:
        return (count - 1) // 2
    share, step = 0.0, 0.5
    while number:
        share, number, step = share + step * (number % 2), number // 2, step / 2
    return min(int(share * count), count - 1)


def of_names(names: list[str], known: Mapping[str, Found]) -> Search:
    """A search that continues with the results of builds, by their names."""
    return Search(len(names), {at: known[name] for at, name in enumerate(names) if name in known})
