"""Recorded directories -> those of the run, in paths, file URIs and texts.

A directory is found if it appears as a separate word: `/work` is not found in `/workshop`, in `/my/work` or
in `work`. In a URI it may be written with escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from acp_trace.normalize.moved_places import MovedPlaces

_URI = "file://"


class MovedDirectories:
    """Pairs of directories, a recorded one and its counterpart in the run.

    With the pair of `/w` and `/tmp/9`, `text("cat /w/a /workshop")` is `"cat /tmp/9/a /workshop"`.
    """

    def __init__(self) -> None:
        self._pairs: dict[str, str] = {}
        self._whole: dict[str, str] = {}  #: by the directory exactly as it was written; includes roots
        self._uris: dict[str, str] = {}
        self._word: re.Pattern[str] | None = None
        self._uri: re.Pattern[str] | None = None

    def pair(self, recorded: str, actual: str) -> None:
        """Add a pair. The first pair of a recorded directory stays."""
        self._whole.setdefault(recorded, actual)
        recorded, actual = recorded.rstrip("/\\"), actual.rstrip("/\\") or "/"
        if recorded and not recorded.endswith(":") and recorded not in self._pairs:
            self._pairs[recorded] = actual
            self._uris |= {
                _URI + quote(recorded): _URI + quote(actual),
                _URI + recorded: _URI + quote(actual),
            }
            self._word = _words(self._pairs, r"(?<![\w/\\.-])")
            self._uri = _words(self._uris, "")

    @property
    def places(self) -> MovedPlaces:
        """The pairs in their order, with one name for both directories of each."""
        return MovedPlaces.of(self._whole.items())

    def text(self, text: str) -> str:
        """Return a text with every such directory in it replaced, if it appears as a word."""
        if self._word is None or self._uri is None:
            return text
        if _URI in text:
            text = self._uri.sub(lambda match: self._uris[match[0]], text)
        return self._word.sub(lambda match: self._pairs[match[0]], text)

    def path(self, text: str) -> str:
        """Return a path, or a file URI, moved from such a directory; any other string unchanged."""
        if text in self._whole:
            return self._whole[text]
        return self.text(text) if text.startswith((_URI, *self._pairs)) else text


def _words(words: Iterable[str], before: str) -> re.Pattern[str]:
    """Return a pattern for these words, the longest first, unless the text continues with another word."""
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"{before}(?:{'|'.join(map(re.escape, longest))})(?![\w-]|\.[\w-])")
