"""Matches items of two lists step by step: first those that are alike in everything, then in less.

What an earlier step matched stays, and a later one only looks into the holes between. So one request
that changed is found between its neighbours that did not.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from acp_trace.compare.align import Pair, align

Keys = Sequence[Hashable]
Step = tuple[Keys, Keys]


class Claimed(NamedTuple):
    """Indices: pairs in order, and what is left of either side."""

    pairs: list[Pair]
    missing: list[int]
    extra: list[int]

    @property
    def left(self) -> int:
        """How many items found no counterpart."""
        return len(self.missing) + len(self.extra)


def claim(*steps: Step) -> Claimed:
    """Each step: the keys of the items of either side, the strictest first."""
    pairs: list[Pair] = []
    len_a, len_b = len(steps[0][0]), len(steps[0][1])
    for step in steps:
        if len(pairs) < min(len_a, len_b):
            pairs += [pair for hole in _holes(pairs, len_a, len_b) for pair in _in(hole, step)]
            pairs.sort()
    in_a, in_b = {i for i, _ in pairs}, {j for _, j in pairs}
    missing = [i for i in range(len_a) if i not in in_a]
    return Claimed(pairs, missing, [j for j in range(len_b) if j not in in_b])


_Hole = tuple[int, int, int, int]


def _holes(pairs: list[Pair], len_a: int, len_b: int) -> list[_Hole]:
    holes = []
    a_from = b_from = 0
    for i, j in [*pairs, (len_a, len_b)]:
        if a_from < i and b_from < j:
            holes.append((a_from, i, b_from, j))
        a_from, b_from = i + 1, j + 1
    return holes


def _in(hole: _Hole, step: Step) -> list[Pair]:
    a_from, a_to, b_from, b_to = hole
    found = align(step[0][a_from:a_to], step[1][b_from:b_to])
    return [(a_from + i, b_from + j) for i, j in found]
