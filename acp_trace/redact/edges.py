"""Parts of secrets at the edges of a text: its end, or its beginning, was cut off in the middle of a secret.

Agents send growing output repeatedly (`ghp_A1b2`, `ghp_A1b2C3d4`), and terminals drop their beginnings. Only
what looks like a part of a token is removed: at least eight characters, and not only words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

_PART = 8  #: a shorter part is not specific enough
_WHOLE = 12  #: shorter secrets may be words
_MOST = 4096  #: longer text is cut by its shape (`pem`)
_FEW = 32
_SAFE = re.compile(r"[A-Za-z0-9_.-]+")
_RUN = re.compile(r"[A-Za-z0-9]{6,}")
_PLAIN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d{1,7}")


class Edges:
    """Finds the first characters of words at the end of a text, and the last ones at its beginning."""

    def __init__(self, words: Iterable[str]) -> None:
        kept = [word for word in words if _WHOLE <= len(word) <= _MOST]
        self._ends = _Ends(kept)
        self._starts = _Ends([word[::-1] for word in kept])

    def signs(self) -> list[str]:
        """Every text in which something is found contains one of these."""
        return [*self._ends.heads, *(head[::-1] for head in self._starts.heads)]

    def spans(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield what is at an edge, and the word that it is a part of."""
        if len(text) < _PART:
            return
        if edge := self._starts.at_end(text[: self._starts.longest][::-1]):
            length, word = edge
            yield 0, length, word[::-1]
        if edge := self._ends.at_end(text[-self._ends.longest :]):
            length, word = edge
            yield len(text) - length, len(text), word


class _Ends:
    """Words whose first characters may end a text."""

    def __init__(self, words: list[str]) -> None:
        self._words = sorted(word for word in words if _SAFE.fullmatch(word, 0, _PART))
        self.heads = sorted({word[:_PART] for word in self._words})
        self._heads = frozenset(self.heads)
        self.longest = max(map(len, self._words), default=1)

    def at_end(self, text: str) -> tuple[int, str] | None:
        """Return the length of the part that ends this text, and its word; None if there is none."""
        if len(self.heads) <= _FEW and not any(head in text for head in self.heads):
            return None
        for at in range(len(text) - _PART + 1):
            if text[at : at + _PART] in self._heads:
                part = text[at:]
                number = bisect_left(self._words, part)
                if number < len(self._words) and self._words[number].startswith(part) and _is_opaque(part):
                    return len(part), self._words[number]
        return None


def _is_opaque(part: str) -> bool:
    """Whether it contains more than words and small numbers."""
    return any(_PLAIN.fullmatch(run) is None for run in _RUN.findall(part))
