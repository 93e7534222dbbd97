"""Makes texts and values comparable: masks directories, and ids, times and figures that differ in every run.

Only `content` looks at texts in this way. What a text names is known from the trace (ids and directories), or
has a form of its own (`forms`); a number by itself is compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from acp_trace.normalize import figures, ids, times
from acp_trace.normalize.directories import Directories
from acp_trace.normalize.forms import Found, neutral

_WORD = re.compile(r"[\w-]{8,}")
_SHORT = 4096  #: characters of a text that may come again: a title, a name, a command
_REMEMBERED = 1024  #: such texts


class Wording:
    """How the texts of one trace are looked at. `ids`: those that its sides made up, and texts may quote."""

    def __init__(self, directories: Directories, ids: Collection[str] = ()) -> None:
        self._directories = directories
        self._ids = frozenset(id_ for id_ in ids if _WORD.fullmatch(id_))
        self._remembered = lru_cache(_REMEMBERED)(self._neutral_text)

    def text(self, text: str) -> str:
        """A text without what is another in each run: `took 3.1s in /tmp/x` is `took ‹duration› in ‹cwd›`."""
        return self._remembered(text) if len(text) <= _SHORT else self._neutral_text(text)

    def _neutral_text(self, text: str) -> str:
        text = self._directories.named(text)
        if self._ids and not self._ids.isdisjoint(_WORD.findall(text)):
            text = _WORD.sub(self._id, text)
        return neutral(text, Found([], []))

    def neutral(self, value: Any) -> Any:
        """The value with each of its texts so, and without figures of times and usage."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.neutral(inner) for inner in value]
        if isinstance(value, dict):
            return {key: self._member(key, inner) for key, inner in value.items()}
        return value

    def _member(self, key: str, value: Any) -> Any:
        if isinstance(value, (str, int)) and ids.is_made_up(key):
            return ids.MASK
        if isinstance(value, (int, float)) and not isinstance(value, bool) and times.is_moment(value):
            return times.TIME
        return self._figure(value) if figures.is_measured(key) else self.neutral(value)

    def _figure(self, value: Any) -> Any:
        """A figure, or an object of figures: `{"duration": {"secs": 0, "nanos": 17347982}}`."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return figures.FIGURE
        if isinstance(value, dict):
            return {key: self._figure(inner) for key, inner in value.items()}
        return self.neutral(value)

    def _id(self, match: re.Match[str]) -> str:
        return ids.MASK if match[0] in self._ids else match[0]
