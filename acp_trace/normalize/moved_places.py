"""Directories that have moved between a recording and a run, in all forms in which a text names them.

A directory stands in a text as it is, in a file URI, escaped in JSON in a string, as seen from the home
directory or from another one, as one word with all its slashes replaced (`-tmp-x-p1`), or with its last name
alone. Recorded and actual directories get one name here, each pair its own: two sessions in two directories
stay apart.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from acp_trace.normalize.spellings import (
    AFTER,
    AFTER_WORD,
    BEFORE,
    BEFORE_WORD,
    pattern,
    spellings,
)

_SHORTEST = 2  #: characters of a last name: a shorter one stands in every text
_NOT_TAME = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True)
class MovedPlaces:
    """What has moved. `pairs`: recorded and actual directory, the longest recorded one first."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> MovedPlaces:
        """Of pairs in any order. The first of a recorded directory counts; roots and equal ones do not."""
        first: dict[str, str] = {}
        for recorded, actual in pairs:
            name = recorded.rstrip("/\\")
            if name and actual.rstrip("/\\") and not name.endswith(":"):
                first.setdefault(name, actual.rstrip("/\\"))
        return cls(tuple(sorted(first.items(), key=lambda pair: -len(pair[0]))))

    @cached_property
    def recorded(self) -> Naming:
        """Puts texts of the recording into one form."""
        return self._naming(0)

    @cached_property
    def actual(self) -> Naming:
        """Puts texts of the run into the same form."""
        return self._naming(1)

    def _naming(self, side: int) -> Naming:
        paths: dict[str, str] = {}
        words: dict[str, str] = {}
        directories = [pair[side] for pair in self.pairs]
        numbers: dict[str, int] = {}
        for directory, (_, actual) in zip(directories, self.pairs, strict=True):
            number = numbers.setdefault(actual, len(numbers))
            for spelling in spellings(directory, directories):
                kind = spelling.kind if spelling.is_word else "directory"
                (words if spelling.is_word else paths).setdefault(spelling.text, f"‹{kind} {number}›")
        # The last names of both sides: which of the two a word stands for cannot be seen.
        for recorded, actual in self.pairs:
            last = {os.path.basename(recorded), os.path.basename(actual)}
            for name in last if len(last) > 1 else ():
                for text in (name, *_tamed(name)):
                    if len(text) >= _SHORTEST:
                        words.setdefault(text, f"‹name {numbers[actual]}›")
        return Naming(paths, words)


def _tamed(name: str) -> tuple[str, ...]:
    """A name as agents write it where not every character may stand: `My_Shop` as `my-shop`."""
    dashed = _NOT_TAME.sub("-", name).strip("-")
    return dashed, dashed.lower()


class Naming:
    """Puts a name in place of each directory in a text: `paths`, and those that look like `words`."""

    def __init__(self, paths: dict[str, str], words: dict[str, str]) -> None:
        self._groups = [
            (names, pattern(names, before, after))
            for names, before, after in ((paths, BEFORE, AFTER), (words, BEFORE_WORD, AFTER_WORD))
            if names
        ]

    def text(self, text: str) -> str:
        """The text with names for directories."""
        for names, found in self._groups:
            text = found.sub(lambda match, names=names: names[match[0]], text)  # type: ignore[misc]
        return text
