"""How two texts differ: the lines that differ, and nothing else. Any length in bounded time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

import msgspec

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
#: Most pairs of lines, one from each text, that are compared with care: about a second.
_MOST = 4_000_000


class Hunk(msgspec.Struct, frozen=True):
    """Consecutive lines that differ, and where they begin in each text, from 1."""

    expected_line: int
    actual_line: int
    expected: tuple[str, ...]
    actual: tuple[str, ...]


def hunks(expected: str, actual: str) -> tuple[Hunk, ...]:
    """Return where two texts differ; empty if they are equal. A final line end adds one more, empty line."""
    if expected == actual:
        return ()
    was, now = expected.split("\n") if expected else [], actual.split("\n") if actual else []
    return tuple(
        Hunk(begin + 1, actual_begin + 1, tuple(was[begin:end]), tuple(now[actual_begin:actual_end]))
        for begin, end, actual_begin, actual_end in blocks(was, now)
    )


def words(expected: str, actual: str) -> tuple[tuple[Literal["=", "-", "+"], str], ...]:
    """Compare two corresponding lines word by word: what both have, what is gone, what is new."""
    was, now = _WORD.findall(expected), _WORD.findall(actual)
    spans: list[tuple[Literal["=", "-", "+"], str]] = []
    done = 0
    for begin, end, actual_begin, actual_end in [*blocks(was, now), (len(was), len(was), len(now), len(now))]:
        spans += [
            ("=", "".join(was[done:begin])),
            ("-", "".join(was[begin:end])),
            ("+", "".join(now[actual_begin:actual_end])),
        ]
        done = end
    return tuple(span for span in spans if span[1])


def blocks(expected: Sequence[str], actual: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the stretches in which two sequences differ: from, to in one, from, to in the other.

    Stretches that are too long to compare are one block.
    """
    start = 0
    shorter = min(len(expected), len(actual))
    while start < shorter and expected[start] == actual[start]:
        start += 1
    end = 0
    while end < shorter - start and expected[-1 - end] == actual[-1 - end]:
        end += 1
    was, now = expected[start : len(expected) - end], actual[start : len(actual) - end]
    if len(was) * len(now) > _MOST:
        return [(start, start + len(was), start, start + len(now))]
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    return [
        (start + a, start + b, start + c, start + d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
