"""How a text may spell a directory: as it is, escaped, as seen from another one, or as one word."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote

_NOT_WORD = re.compile(r"[^A-Za-z0-9]")
_SLASHES = re.compile(r"[/\\:]")
_FARTHEST = 8  #: levels up, as seen from another directory
#: Nothing stands before a directory that would make it another one; an escaped end of a line may.
BEFORE = r"(?:(?<![\w/\\.~-])|(?<=\\[nrt])|(?<=file://))"
BEFORE_WORD = r"(?:(?<![\w.-])|(?<=\\[nrt]))"
AFTER = r"(?![\w-]|\.[\w-])"
AFTER_WORD = r"(?!\w)"


class Spelling(NamedTuple):
    """One way to spell a directory. `kind` is the same for the same way of another directory."""

    kind: str
    text: str
    is_word: bool = False  #: it looks like a word, not like a path


def spellings(directory: str, others: Iterable[str] = ()) -> Iterator[Spelling]:
    """All ways to spell a directory, the plain one first. `others`: directories that it is seen from."""
    yield Spelling("plain", directory)
    if (quoted := quote(directory)) != directory:
        yield Spelling("quoted", quoted)
    if "\\" in directory:
        yield Spelling("escaped", directory.replace("\\", "\\\\"))
    for name, pattern in (("slug", _NOT_WORD), ("slashes", _SLASHES)):
        for stroke in "-_":
            yield Spelling(f"{name} {stroke}", pattern.sub(stroke, directory), True)
    for number, other in enumerate(others):
        if directory.startswith(f"{other}/"):
            yield Spelling(f"home {number}", f"~{directory[len(other) :]}")
        elif other != directory and directory[:1] == other[:1] == "/":
            seen = os.path.relpath(directory, other)
            if seen.count("/") > 1 and seen.count("../") < _FARTHEST:
                yield Spelling(f"from {number}", seen)


def pattern(texts: Iterable[str], before: str, after: str) -> re.Pattern[str]:
    """Finds each of these texts, the longest first."""
    longest = sorted(texts, key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest))}){after}")
