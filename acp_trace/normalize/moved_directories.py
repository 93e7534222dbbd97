"""Recorded directories -> those of the run, in paths, file URIs and texts.

A directory is found if it appears as a separate word: `/work` is not found in `/workshop`, in `/my/work` or
in `work`. In a URI it may be written with escapes. A directory of Windows is found however it is written, and
the path below it gets the slashes of the run's directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from acp_trace.normalize import windows
from acp_trace.normalize.moved_places import MovedPlaces
from acp_trace.normalize.spellings import AFTER
from acp_trace.normalize.windows_spellings import FoundPath, WindowsSpellings

_URI = "file://"
_BEFORE = r"(?<![\w/\\.-])"


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
        self._windows: WindowsSpellings | None = None

    def pair(self, recorded: str, actual: str) -> None:
        """Add a pair. The first pair of a recorded directory stays."""
        self._whole.setdefault(recorded, actual)
        recorded, actual = recorded.rstrip("/\\"), actual.rstrip("/\\") or "/"
        if not windows.is_root(recorded) and recorded not in self._pairs:
            self._pairs[recorded] = actual
            self._uris |= {
                _URI + quote(recorded): windows.uri(actual),
                _URI + recorded: windows.uri(actual),
            }
            self._word = _words(self._pairs, _BEFORE)
            self._uri = _words(self._uris, "")
            self._windows = WindowsSpellings([*self._pairs], _BEFORE, AFTER)

    @property
    def places(self) -> MovedPlaces:
        """The pairs in their order, with one name for both directories of each."""
        return MovedPlaces.of(self._whole.items())

    def text(self, text: str) -> str:
        """Return a text with every such directory in it replaced, if it appears as a word."""
        if self._word is None or self._uri is None:
            return text
        if self._windows:
            text = self._windows.replaced(text, self._moved)
        if _URI in text:
            text = self._uri.sub(lambda match: self._uris[match[0]], text)
        return self._word.sub(lambda match: self._pairs[match[0]], text)

    def path(self, text: str) -> str:
        """Return a path, or a file URI, moved from such a directory; any other string unchanged."""
        if text in self._whole:
            return self._whole[text]
        if self._windows and (found := self._windows.at_start(text)) is not None:
            return self._moved(found) + text[found.end :]
        return self.text(text) if text.startswith((_URI, *self._pairs)) else text

    def _moved(self, found: FoundPath) -> str:
        return found.moved([*self._pairs.values()][found.number])


def _words(words: Iterable[str], before: str) -> re.Pattern[str]:
    """Return a pattern for these words, the longest first, unless the text continues with another word."""
    longest = sorted(words, key=len, reverse=True)
    return re.compile(rf"{before}(?:{'|'.join(map(re.escape, longest))}){AFTER}")
