"""Recorded folders -> those of the live run, in paths, file URIs and texts.

A folder is found where it stands as a word of its own: `/work` is not found in `/workshop`, in `/my/work`
or in `work`. In a URI it may be written with escapes.
"""

from __future__ import annotations

import re
from urllib.parse import quote

_URI = "file://"


class MovedDirectories:
    """Pairs of folders, a recorded one and that of the live run."""

    def __init__(self) -> None:
        self._pairs: dict[str, str] = {}
        self._whole: dict[str, str] = {}  #: by the folder just as it was written; has roots, too
        self._uris: dict[str, str] = {}
        self._word: re.Pattern[str] | None = None
        self._uri: re.Pattern[str] | None = None

    def pair(self, recorded: str, live: str) -> None:
        """Learns a pair; what is known stays."""
        self._whole.setdefault(recorded, live)
        recorded, live = recorded.rstrip("/\\"), live.rstrip("/\\") or "/"
        if recorded and not recorded.endswith(":") and recorded not in self._pairs:
            self._pairs[recorded] = live
            self._uris |= {_URI + quote(recorded): _URI + quote(live), _URI + recorded: _URI + quote(live)}
            self._word = _words(self._pairs, r"(?<![\w/\\.-])")
            self._uri = _words(self._uris, "")

    @property
    def live(self) -> list[str]:
        """The folders of the live run."""
        return list(self._whole.values())

    def text(self, text: str) -> str:
        """A text with every such folder in it that stands there as a word."""
        if self._word is None or self._uri is None:
            return text
        if _URI in text:
            text = self._uri.sub(lambda found: self._uris[found[0]], text)
        return self._word.sub(lambda found: self._pairs[found[0]], text)

    def path(self, text: str) -> str:
        """A path, or a file URI, that lies in such a folder; anything else as it is."""
        if text in self._whole:
            return self._whole[text]
        return self.text(text) if text.startswith((_URI, *self._pairs)) else text


def _words(some: dict[str, str], before: str) -> re.Pattern[str]:
    """Finds each of these, the longest first, where nothing goes on after it that would make it another."""
    longest = sorted(some, key=len, reverse=True)
    return re.compile(rf"{before}(?:{'|'.join(map(re.escape, longest))})(?![\w-]|\.[\w-])")
