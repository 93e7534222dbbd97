"""The first characters of many words: where in a text one of the words may begin.

The characters of a text are read as numbers of several bytes, from each offset in turn. This takes as long
as the text is, however many words there are, and Python does no work for a single character.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import compress

#: Bytes of a number, and how `array` calls it.
_CODES = {8: "Q", 4: "I", 2: "H", 1: "B"}
_LONGEST = 8
#: The size for a word of each length.
_SIZES = (0, 1, 2, 2, 4, 4, 4, 4, 8)


class Starts:
    """The first eight characters of words; of shorter words the first four, two or one. No word is empty."""

    def __init__(self, words: Iterable[str]) -> None:
        by_size: dict[int, set[str]] = {}
        for word in words:
            size = _SIZES[min(len(word), _LONGEST)]
            by_size.setdefault(size, set()).add(word[:size])
        self._numbers = {size: set(_read(spelt("".join(heads)), size)) for size, heads in by_size.items()}

    def are_in(self, text: bytes) -> bool:
        """Return whether one of the words may begin somewhere in a text, which is `spelt`."""
        for size, known in self._numbers.items():
            for offset in range(min(size, len(text) - size + 1)):
                if not known.isdisjoint(_read(text, size, offset)):
                    return True
        return False

    def places(self, text: bytes) -> list[int]:
        """Return where in a text, which is `spelt`, one of the words may begin, from left to right."""
        found: set[int] = set()
        for size, known in self._numbers.items():
            for offset in range(min(size, len(text) - size + 1)):
                is_known = map(known.__contains__, _read(text, size, offset))
                found.update(compress(range(offset, len(text), size), is_known))
        return sorted(found)


def spelt(text: str) -> bytes:
    """Return one byte for each character, so that places stay; all characters after U+00FF have the same."""
    return text.encode("latin-1", "replace")


def _read(text: bytes, size: int, offset: int = 0) -> array[int]:
    """Return the numbers of `size` bytes in a text, from `offset` on."""
    return array(_CODES[size], text[offset : len(text) - (len(text) - offset) % size])
