"""Two sequences -> which items belong together. In less than quadratic time, whatever the sequences.

Common ends are taken first, then items that occur once on either side (the idea of patience diff), then
small windows by their longest common subsequence. What is left, large and repetitive, is walked along
greedily, with a limited look ahead: still common items in order, if not always the most.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence

Pair = tuple[int, int]
_Window = tuple[int, int, int, int, int]

_SMALL = 2500  #: cells of the table for a small window
_DEEPEST = 40
_AHEAD = 256


def align(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Pair]:
    """Indices of equal items, increasing on both sides."""
    pairs: list[Pair] = []
    waiting: list[_Window] = [(0, len(a), 0, len(b), 0)]
    while waiting:
        a_from, a_to, b_from, b_to, depth = waiting.pop()
        while a_from < a_to and b_from < b_to and a[a_from] == b[b_from]:
            pairs.append((a_from, b_from))
            a_from, b_from = a_from + 1, b_from + 1
        while a_from < a_to and b_from < b_to and a[a_to - 1] == b[b_to - 1]:
            a_to, b_to = a_to - 1, b_to - 1
            pairs.append((a_to, b_to))
        if a_from == a_to or b_from == b_to:
            continue
        window = (a_from, a_to, b_from, b_to, depth)
        if (a_to - a_from) * (b_to - b_from) <= _SMALL:
            pairs += _longest(a, b, window)
        elif depth < _DEEPEST and (anchors := _anchors(a, b, window)):
            pairs += anchors
            waiting += _between(anchors, window)
        else:
            pairs += _greedy(a, b, window)
    pairs.sort()
    return pairs


def _between(anchors: list[Pair], window: _Window) -> list[_Window]:
    a_from, a_to, b_from, b_to, depth = window
    found = []
    for at_a, at_b in [*anchors, (a_to, b_to)]:
        found.append((a_from, at_a, b_from, at_b, depth + 1))
        a_from, b_from = at_a + 1, at_b + 1
    return found


def _anchors(a: Sequence[Hashable], b: Sequence[Hashable], window: _Window) -> list[Pair]:
    """Items that occur once on either side, the longest run of them that increases on both."""
    a_from, a_to, b_from, b_to, _ = window
    in_a, in_b = Counter(a[a_from:a_to]), Counter(b[b_from:b_to])
    at_b = {b[j]: j for j in range(b_from, b_to) if in_b[b[j]] == 1}
    once = [(i, at_b[a[i]]) for i in range(a_from, a_to) if in_a[a[i]] == 1 and a[i] in at_b]
    return increasing(once)


def increasing(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest subsequence of pairs, which increase on the left, that increases on the right as well."""
    ends: list[int] = []  # right sides; the smallest end of a run of each length
    last: list[int] = []  # and the pair that it is
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [at]
        before.append(last[length - 1] if length else -1)
    found: list[Pair] = []
    at = last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _longest(a: Sequence[Hashable], b: Sequence[Hashable], window: _Window) -> list[Pair]:
    """The longest common subsequence, by the table."""
    a_from, a_to, b_from, b_to, _ = window
    width = b_to - b_from
    table = [[0] * (width + 1)]
    for i in range(a_to - 1, a_from - 1, -1):
        below = table[-1]
        row = [0] * (width + 1)
        for j in range(width - 1, -1, -1):
            row[j] = below[j + 1] + 1 if a[i] == b[b_from + j] else max(below[j], row[j + 1])
        table.append(row)
    table.reverse()
    pairs = []
    i = j = 0
    while i < a_to - a_from and j < width:
        if a[a_from + i] == b[b_from + j]:
            pairs.append((a_from + i, b_from + j))
            i, j = i + 1, j + 1
        elif table[i + 1][j] >= table[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _greedy(a: Sequence[Hashable], b: Sequence[Hashable], window: _Window) -> list[Pair]:
    a_from, a_to, b_from, b_to, _ = window
    places: dict[Hashable, list[int]] = {}
    for j in range(b_from, b_to):
        places.setdefault(b[j], []).append(j)
    pairs, at = [], b_from
    for i in range(a_from, a_to):
        here = places.get(a[i], [])
        found = bisect_left(here, at)
        if found < len(here) and here[found] - at <= _AHEAD:
            pairs.append((i, here[found]))
            at = here[found] + 1
    return pairs
