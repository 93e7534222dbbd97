"""What has to be replaced in a text for the run: directories that have moved, ids that the run made itself.

Texts are UTF-8 bytes, one character for each (Latin-1): so a place in a text is a place in the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from acp_trace.normalize import windows
from acp_trace.normalize.spellings import (
    AFTER,
    AFTER_WORD,
    BEFORE,
    BEFORE_WORD,
    FROM_ROOT,
    PLAIN,
    pattern,
    spellings,
)
from acp_trace.normalize.windows_spellings import FoundPath, WindowsSpellings

_TOKEN = re.compile(r"[0-9A-Za-z](?:[\w-]*[0-9A-Za-z])?")
_BACKSLASHES = re.compile(r"\\+")
#: A last name that is not an ordinary word: it is replaced on its own, too.
_OWN_NAME = re.compile(r"(?=.*[a-z])(?=.*\d)[\w.-]{6,}", re.IGNORECASE)


class Edit(NamedTuple):
    """A replacement for a part of a text."""

    start: int
    end: int
    text: str


def as_bytes(text: str) -> str:
    """Return a text with a character for each of its bytes."""
    return text.encode("utf-8", "replace").decode("latin-1")


class Replacements:
    """Pairs of recorded and actual values. `directories`: the longest first; `ids` by the recorded one."""

    def __init__(
        self, directories: Sequence[tuple[str, str]] = (), ids: Mapping[str, str] | None = None
    ) -> None:
        self._ids = {as_bytes(was): as_bytes(now) for was, now in (ids or {}).items() if was != now}
        self._values: dict[str, str] = {}
        self._patterns: list[re.Pattern[str]] = []
        self._moved = [pair for pair in directories if pair[0] != pair[1]]
        self._windows: WindowsSpellings | None = None
        if self._moved:
            recorded = [was for was, _ in self._moved]
            self._windows = WindowsSpellings(recorded, BEFORE, AFTER, encode=as_bytes) or None
        paths, words, names = self._spelt(directories)
        rows = ((paths, BEFORE, AFTER), (words, BEFORE_WORD, AFTER_WORD), (names, BEFORE, AFTER))
        for group, before, after in rows:
            if group:
                self._values |= group
                self._patterns.append(pattern(group, before, after))

    def __bool__(self) -> bool:
        return bool(self._ids or self._values)

    def with_ids(self, ids: Mapping[str, str]) -> Replacements:
        """Return the same directories, with these ids."""
        other = Replacements((), ids)
        other._values, other._patterns = self._values, self._patterns
        other._windows, other._moved = self._windows, self._moved
        return other

    def edits(self, text: str) -> list[Edit]:
        """Return what to replace in a text, in order and without overlaps."""
        found: list[Edit] = []
        for each in self._patterns:
            found += (Edit(*match.span(), self._values[match[0]]) for match in each.finditer(text))
        if self._windows is not None:
            found += self._edits_of_windows(self._windows.find(text), text)
        if self._ids:
            found += (
                Edit(*match.span(), self._ids[match[0]])
                for match in _TOKEN.finditer(text)
                if match[0] in self._ids
            )
        return list(_apart(sorted(found)))

    def _edits_of_windows(self, paths: Iterable[FoundPath], text: str) -> Iterator[Edit]:
        """Yield the edits for directories of Windows, and for the slashes of the paths below them."""
        for path in paths:
            now = self._moved[path.number][1]
            end = path.end - len(path.written)
            yield Edit(path.start, end, as_bytes(path.directory(now)))
            if windows.read(now) is None:
                yield from (Edit(*match.span(), "/") for match in _BACKSLASHES.finditer(text, end, path.end))

    def _spelt(self, directories: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
        """Return the spellings of paths, of those that are a word, and of last names, each with the run's."""
        paths: dict[str, str] = {}
        words: dict[str, str] = {}
        names: dict[str, str] = {}
        sides = [[pair[side] for pair in directories] for side in (0, 1)]
        for was, now in directories:
            if was == now:
                continue
            on_windows = windows.read(was) is not None
            actual = {spelling.kind: spelling.text for spelling in spellings(now, sides[1])}
            for spelling in spellings(was, sides[0]):
                if spelling.kind == FROM_ROOT:  # the `../` before it fits the recorded directory only
                    continue
                if on_windows and spelling.kind in PLAIN:
                    continue
                group = words if spelling.is_word else paths
                group.setdefault(as_bytes(spelling.text), as_bytes(actual.get(spelling.kind, now)))
            last = windows.last_name(was)
            if _OWN_NAME.fullmatch(last) and windows.last_name(now) != last:
                names.setdefault(as_bytes(last), as_bytes(windows.last_name(now)))
        return [paths, words, names]


def _apart(edits: list[Edit]) -> Iterator[Edit]:
    """Return the edits that do not overlap with an earlier one; of two with the same start, the longer."""
    end = -1
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if edit.start >= end:
            yield edit
            end = edit.end
