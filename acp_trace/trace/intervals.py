"""Intervals of time: which moments several of them claim, each moment once. Pure arithmetic, in ns."""

from __future__ import annotations

from collections.abc import Iterable

#: From when until when, ns.
Interval = tuple[int, int]


def claimed(whole: Interval, claims: Iterable[Iterable[Interval]]) -> list[int]:
    """How much of `whole` each claim gets, ns: a moment belongs to the first claim that has it.

    What reaches out of `whole` is cut off. What is left over belongs to nobody.
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
    """The same moments, each once, in order."""
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
    """How long intervals are together, ns."""
    return sum(until - since for since, until in intervals)
