"""Intervals of time: which of several claims gets each moment. Pure arithmetic, in ns."""

from __future__ import annotations

from collections.abc import Iterable

#: Begin and end, ns.
Interval = tuple[int, int]


def claimed(whole: Interval, claims: Iterable[Iterable[Interval]]) -> list[int]:
    """Return how much of `whole` each claim gets, ns: a moment belongs to the first claim that has it.

    Claims are cut off at the ends of `whole`. The rest belongs to no claim.
    """
    begin, end = whole
    taken: list[Interval] = []
    shares = []
    for claim in claims:
        before = length(taken)
        clipped = ((max(since, begin), min(until, end)) for since, until in claim)
        taken = union([*taken, *clipped])
        shares.append(length(taken) - before)
    return shares


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the same moments, each once, in order."""
    moments: list[Interval] = []
    for since, until in sorted(intervals):
        if until <= since:
            continue
        if moments and since <= moments[-1][1]:
            moments[-1] = moments[-1][0], max(moments[-1][1], until)
        else:
            moments.append((since, until))
    return moments


def length(intervals: Iterable[Interval]) -> int:
    """Return the total length of intervals, ns."""
    return sum(until - since for since, until in intervals)
