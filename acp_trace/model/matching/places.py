"""Directories that have moved between a recording and a run, in all forms in which a text names them.

A directory stands in a text as it is, in a file URI, escaped in JSON in a string, as seen from the home
directory or from another one, as one word with all its slashes replaced (`-tmp-x-p1`), or with its last name
alone. Recorded and actual directories get one name here, each pair its own: two sessions in two directories
stay apart.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

_SHORTEST = 2  #: characters of a last name: a shorter one stands in every text
_NOT_WORD = re.compile(r"[^A-Za-z0-9]")
_SLASHES = re.compile(r"[/\\:]")
#: Nothing stands before a directory that would make it another one; an escape of a line's end may.
_BEFORE = r"(?:(?<![\w/\\.~-])|(?<=\\[nrt])|(?<=file://))"
_BEFORE_WORD = r"(?:(?<![\w.-])|(?<=\\[nrt]))"
_AFTER = r"(?![\w-]|\.[\w-])"


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
        return Naming(self._names(0))

    @cached_property
    def actual(self) -> Naming:
        """Puts texts of the run into the same form."""
        return Naming(self._names(1))

    def _names(self, side: int) -> dict[str, str]:
        names: dict[str, str] = {}
        directories = [pair[side] for pair in self.pairs]
        numbers: dict[str, int] = {}
        for recorded, actual in self.pairs:
            number = numbers.setdefault(actual, len(numbers))
            directory = actual if side else recorded
            for kind, spelling in spellings(directory, directories):
                names.setdefault(spelling, f"‹{kind} {number}›")
        # The last names of both sides: which of the two a word stands for cannot be seen.
        for recorded, actual in self.pairs:
            number = numbers[actual]
            last = [os.path.basename(recorded), os.path.basename(actual)]
            if last[0] != last[1]:
                for name in last:
                    if len(name) >= _SHORTEST:
                        names.setdefault(name, f"‹name {number}›")
        return names


def spellings(directory: str, others: Iterable[str]) -> Iterator[tuple[str, str]]:
    """How a text may spell a directory, each with its kind. `others`: directories that it is seen from."""
    yield "directory", directory
    if (quoted := quote(directory)) != directory:
        yield "directory", quoted
    if "\\" in directory:
        yield "directory", directory.replace("\\", "\\\\")
    for pattern in (_NOT_WORD, _SLASHES):
        for stroke in "-_":
            yield f"slug {stroke}", pattern.sub(stroke, directory)
    for other in others:
        if directory.startswith(other + "/"):
            yield "directory", "~" + directory[len(other) :]
        elif other != directory and directory[:1] == other[:1] == "/":
            seen = os.path.relpath(directory, other)
            if seen.count("/") > 1 and not seen.startswith("../../../../../../../.."):
                yield "directory", seen


class Naming:
    """Puts a name in place of each directory in a text."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        paths = [name for name in names if name[:1] in "/~." or "/" in name or "\\" in name]
        words = [name for name in names if name not in set(paths)]
        self._patterns = [
            re.compile(f"{before}(?:{'|'.join(map(re.escape, sorted(group, key=len, reverse=True)))}){after}")
            for group, before, after in ((paths, _BEFORE, _AFTER), (words, _BEFORE_WORD, r"(?![\w])"))
            if group
        ]

    def text(self, text: str) -> str:
        """The text with names for directories."""
        for pattern in self._patterns:
            text = pattern.sub(lambda match: self._names[match[0]], text)
        return text
