"""Many words looked for at once: which of them stand in a text, and where.

A choice of 20,000 words in one regular expression tries them one after the other at every character. Here
`starts` says at which places a word may begin, and a sorted list which word it is: the time is that of the
text, however many words there are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator

from acp_trace.redact.starts import Starts, spelt

#: Up to so many words a regular expression, or one search for each, is faster.
_FEW = 32
_START = 8

Fits = Callable[[str, int, int], bool]


def _always(_text: str, _start: int, _end: int) -> bool:
    return True


class Finder:
    """Finds words; of those that begin at one place the longest that `fits` (text, start, end).

    `longest`: how many characters the longest has.
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
        """Where they stand, from left to right, none in another; if `overlapping`, two may share a part."""
        done, last = 0, ""
        for at in self._places(text):
            if (word := self.at(text, at)) is None or at + len(word) <= done:
                continue
            if at >= done or (overlapping and word != last):
                done, last = at + len(word), word
                yield at, done

    def at(self, text: str, start: int) -> str | None:
        """The longest word that begins here, or None."""
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
    """Says of a text whether one of many words is in it: for words of ASCII, also of bytes."""

    def __init__(self, words: Iterable[str]) -> None:
        kept = set(words)
        #: With an empty word, or with many that are short, every text passes.
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
        """The same of bytes."""
        if self._all:
            return True
        if self._few is not None:
            return any(word in line for word in self._bytes)
        return self._starts.are_in(line)


def _everywhere(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    """All places at which a pattern matches, also those within another match."""
    match = pattern.search(text)
    while match:
        at = match.start()
        yield at
        match = pattern.search(text, at + 1)


def _shorter(words: list[str]) -> list[int]:
    """For each of the sorted words the longest other one that it begins with; -1 if there is none."""
    shorter: list[int] = []
    above: list[int] = []
    for number, word in enumerate(words):
        while above and not word.startswith(words[above[-1]]):
            above.pop()
        shorter.append(above[-1] if above else -1)
        above.append(number)
    return shorter
