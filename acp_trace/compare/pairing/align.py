"""Two sequences, expected and actual -> which items belong together. In less than quadratic time, always.

Common ends come first, then items that occur once on either side (the idea of patience diff), then small
windows by their longest common subsequence. The rest, large and repetitive, is traversed greedily, with a
limited look ahead: still common items in order, if not always the most.

`align_in_steps` does this several times, by stricter and looser keys; `Barriers` tell which matching items
are around an item. Nothing here knows what the items are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

#: An index on the expected side, and one on the actual side.
Pair = tuple[int, int]
Items = Sequence[Hashable]

_SMALL = 2500  #: cells of the table for a small window
_DEEPEST = 40
_AHEAD = 256


class _Window(NamedTuple):
    """A part of either sequence: from an index, to the one before another."""

    expected_from: int
    expected_to: int
    actual_from: int
    actual_to: int
    depth: int = 0


def align(expected: Items, actual: Items) -> list[Pair]:
    """Return the indices of equal items, increasing on both sides.

    `align("abcd", "axcd")` is `[(0, 0), (2, 2), (3, 3)]`.
    """
    pairs: list[Pair] = []
    windows = [_Window(0, len(expected), 0, len(actual))]
    while windows:
        i, i_to, j, j_to, depth = windows.pop()
        while i < i_to and j < j_to and expected[i] == actual[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        while i < i_to and j < j_to and expected[i_to - 1] == actual[j_to - 1]:
            i_to, j_to = i_to - 1, j_to - 1
            pairs.append((i_to, j_to))
        if i == i_to or j == j_to:
            continue
        window = _Window(i, i_to, j, j_to, depth)
        if (i_to - i) * (j_to - j) <= _SMALL:
            pairs += _longest(expected, actual, window)
        elif depth < _DEEPEST and (anchors := _anchors(expected, actual, window)):
            pairs += anchors
            windows += _between(anchors, window)
        else:
            pairs += _greedy(expected, actual, window)
    pairs.sort()
    return pairs


def increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the longest subsequence of pairs, increasing on the left, that also increases on the right."""
    ends: list[int] = []  # right sides; the smallest end of a run of each length
    last: list[int] = []  # and the pair of each
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [at]
        before.append(last[length - 1] if length else -1)
    run: list[Pair] = []
    at = last[-1] if last else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _between(anchors: list[Pair], window: _Window) -> list[_Window]:
    i, i_to, j, j_to, depth = window
    windows = []
    for anchor_i, anchor_j in [*anchors, (i_to, j_to)]:
        windows.append(_Window(i, anchor_i, j, anchor_j, depth + 1))
        i, j = anchor_i + 1, anchor_j + 1
    return windows


def _anchors(expected: Items, actual: Items, window: _Window) -> list[Pair]:
    """Return items that occur once on either side: the longest run of them that increases on both."""
    i, i_to, j, j_to, _ = window
    expected_counts, actual_counts = Counter(expected[i:i_to]), Counter(actual[j:j_to])
    place = {actual[at]: at for at in range(j, j_to) if actual_counts[actual[at]] == 1}
    return increasing(
        [
            (at, place[expected[at]])
            for at in range(i, i_to)
            if expected_counts[expected[at]] == 1 and expected[at] in place
        ]
    )


def _longest(expected: Items, actual: Items, window: _Window) -> list[Pair]:
    """Return the longest common subsequence, by the table."""
    i_from, i_to, j_from, j_to, _ = window
    width = j_to - j_from
    table = [[0] * (width + 1)]
    for i in range(i_to - 1, i_from - 1, -1):
        below = table[-1]
        row = [0] * (width + 1)
        for j in range(width - 1, -1, -1):
            row[j] = below[j + 1] + 1 if expected[i] == actual[j_from + j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    pairs = []
    i = j = 0
    while i < i_to - i_from and j < width:
        if expected[i_from + i] == actual[j_from + j]:
            pairs.append((i_from + i, j_from + j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _greedy(expected: Items, actual: Items, window: _Window) -> list[Pair]:
    i_from, i_to, j_from, j_to, _ = window
    places: dict[Hashable, list[int]] = {}
    for j in range(j_from, j_to):
        places.setdefault(actual[j], []).append(j)
    pairs, next_j = [], j_from
    for i in range(i_from, i_to):
        equal = places.get(expected[i], [])
        at = bisect_left(equal, next_j)
        if at < len(equal) and equal[at] - next_j <= _AHEAD:
            pairs.append((i, equal[at]))
            next_j = equal[at] + 1
    return pairs


# -- in steps

#: The keys of the items of either side.
Keys = tuple[Items, Items]


class Alignment(NamedTuple):
    """Indices: pairs in order, and the items without a counterpart on either side."""

    pairs: list[Pair]
    missing: list[int]
    extra: list[int]

    @property
    def unmatched(self) -> int:
        """The number of items without a counterpart."""
        return len(self.missing) + len(self.extra)


def align_in_steps(*steps: Keys) -> Alignment:
    """Align by the keys of each step, the strictest first.

    Pairs of an earlier step stay, and a later step only looks into the gaps between them. So one changed
    request is found between its unchanged neighbours: of `["x1", "y1"]` and `["x1", "y2"]`, and then
    `["x", "y"]` and `["x", "y"]`, the pairs are `[(0, 0), (1, 1)]`.
    """
    pairs: list[Pair] = []
    expected_count, actual_count = len(steps[0][0]), len(steps[0][1])
    for expected, actual in steps:
        if len(pairs) < min(expected_count, actual_count):
            for i, i_to, j, j_to, _ in _holes(pairs, expected_count, actual_count):
                pairs += [(i + at, j + to) for at, to in align(expected[i:i_to], actual[j:j_to])]
            pairs.sort()
    matched_i, matched_j = {i for i, _ in pairs}, {j for _, j in pairs}
    missing = [i for i in range(expected_count) if i not in matched_i]
    return Alignment(pairs, missing, [j for j in range(actual_count) if j not in matched_j])


def _holes(pairs: list[Pair], expected_count: int, actual_count: int) -> list[_Window]:
    holes = []
    i = j = 0
    for next_i, next_j in [*pairs, (expected_count, actual_count)]:
        if i < next_i and j < next_j:
            holes.append(_Window(i, next_i, j, next_j))
        i, j = next_i + 1, next_j + 1
    return holes


# -- between matching items


class Barriers:
    """Matching frames that separate what is between them.

    Frames that changed places with another do not.
    """

    def __init__(self, pairs: Iterable[Pair]) -> None:
        kept = increasing(sorted(pairs))
        self._expected = [expected for expected, _ in kept]
        self._actual = [actual for _, actual in kept]

    def expected(self, frame: int) -> int:
        """Return how many barriers come before a frame of the expected trace."""
        return bisect_left(self._expected, frame)

    def actual(self, frame: int) -> int:
        """Return how many barriers come before a frame of the actual trace."""
        return bisect_left(self._actual, frame)

    def place(self, segment: int) -> str:
        """Return the place of a segment between the barriers, for people; empty without barriers."""
        if not self._expected:
            return ""
        return f", after #{self._expected[segment - 1]}" if segment else f", before #{self._expected[0]}"


NO_BARRIERS = Barriers(())
