"""Searches for many words at once: which of them are in a text, and where.

A choice of 20,000 words in one regular expression tries them one after the other at every character. Here
`starts` finds the places at which a word may begin, and a sorted list identifies the word: the time depends
on the text, not on the number of words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from acp_trace.redact.starts import Starts, spelt

#: Up to this number of words, a regular expression, or one search for each, is faster.
_FEW = 32
_START = 8

Fits = Callable[[str, int, int], bool]


def _always(_text: str, _start: int, _end: int) -> bool:
    return True


class Finder:
    """Finds words; at each place the longest that `fits` (text, start, end).

    `longest`: the length of the longest word.
    """

    def __init__(self, words: Iterable[str], fits: Fits = _always) -> None:
        self._words = sorted(set(words) - {""})
        self._fits = fits
        self.longest = max(map(len, self._words), default=0)
        self._shorter = _shorter(self._words)
        self._few: list[str] = []
        self._any: re.Pattern[str] | None = None
        self._starts = Starts(self._words if len(self._words) > _FEW else ())
        if self._words and len(self._words) <= _FEW:
            size = min([_START, *map(len, self._words)])
            self._few = sorted({word[:size] for word in self._words})
            self._any = re.compile("|".join(map(re.escape, self._few)))

    def spans(self, text: str, *, overlapping: bool = False) -> Iterator[tuple[int, int]]:
        """Yield their places, from left to right, not nested; if `overlapping`, two may share a part."""
        done, last = 0, ""
        for at in self._places(text):
            if (word := self.at(text, at)) is None or at + len(word) <= done:
                continue
            if at >= done or (overlapping and word != last):
                done, last = at + len(word), word
                yield at, done

    def at(self, text: str, start: int) -> str | None:
        """Return the longest word that begins here, or None."""
        number = bisect_right(self._words, text[start : start + self.longest]) - 1
        while number >= 0:
            word = self._words[number]
            if text.startswith(word, start) and self._fits(text, start, start + len(word)):
                return word
            number = self._shorter[number]
        return None

    def _places(self, text: str) -> Iterator[int] | list[int]:
        if not self._words:
            return []
        if self._any is not None:
            return _everywhere(self._any, text) if any(word in text for word in self._few) else []
        return self._starts.places(spelt(text))


class Sieve:
    """Tests whether one of many words is in a text; for ASCII words, also in bytes."""

    def __init__(self, words: Iterable[str]) -> None:
        kept = set(words)
        #: With an empty word, or with many short ones, every text passes.
        self._all = "" in kept
        self._few = sorted(kept) if len(kept) <= _FEW else None
        self._bytes = [word.encode() for word in self._few or ()]
        self._all = self._all or (self._few is None and min(map(len, kept)) < 3)
        self._starts = Starts(() if self._all or self._few is not None else kept)

    def passes(self, text: str) -> bool:
        """Whether one of the words may be in a text."""
        if self._all:
            return True
        if self._few is not None:
            return any(word in text for word in self._few)
        return self._starts.are_in(spelt(text))

    def passes_bytes(self, line: bytes) -> bool:
        """The same for bytes."""
        if self._all:
            return True
        if self._few is not None:
            return any(word in line for word in self._bytes)
        return self._starts.are_in(line)


def _everywhere(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """Yield all places at which a pattern matches, even within another match."""
    match = pattern.search(text)
    while match:
        at = match.start()
        yield at
        match = pattern.search(text, at + 1)


def _shorter(words: list[str]) -> list[int]:
    """Return, for each sorted word, the longest other one that it begins with; -1 if there is none."""
    shorter: list[int] = []
    above: list[int] = []
    for number, word in enumerate(words):
        while above and not word.startswith(words[above[-1]]):
            above.pop()
        shorter.append(above[-1] if above else -1)
        above.append(number)
    return shorter
