"""Lines whose message the other side did not get, and the ids, sessions and tool calls that they name.

A line that is not a message, and a response that answers nothing, are faults of their sender. If only such a
line named something, what the other side then sends about it is a consequence. `wire` and the sessions decide
which lines are lost.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

_MOST, _LONGEST = 50, 64 * 1024  #: lines that are kept of each side, and bytes of each


class _Line(NamedTuple):
    frame: int
    text: bytes


class LostLines:
    """The latest lost lines of both sides. `frame`: that of the finding about the line."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[_Line]] = {}

    def add(self, frame: int, sender: str, text: bytes) -> None:
        """Record a lost line, in whatever encoding."""
        kept = text[:_LONGEST].replace(b"\0", b"")  # UTF-16 of ASCII
        self._lines.setdefault(sender, deque(maxlen=_MOST)).append(_Line(int(frame), kept))

    def with_id(self, sender: str, id_: str | None, since: int = 0) -> int | None:
        """Return the frame of a line of this side, after frame `since`, whose `id` is that JSON text."""
        if not self._lines or id_ is None:
            return None
        word = id_[1:-1] if id_[:1] == '"' else id_
        quote = rb"[\"']" if id_[:1] == '"' else b""
        pattern = rb"[\"']id[\"']\s*:\s*" + quote + re.escape(word.encode()) + quote + rb"(?![\w.])"
        return self._first(sender, re.compile(pattern), since)

    def naming(self, sender: str, word: str | None, method: str = "") -> int | None:
        """Return the frame of a line of this side that has this string as a value, and names the method."""
        if not self._lines or not word:
            return None
        pattern = re.compile(rb"[\"']" + re.escape(word.encode("utf-8", "replace")) + rb"[\"']")
        return self._first(sender, pattern, 0, method.encode())

    def _first(self, sender: str, pattern: re.Pattern[bytes], since: int, method: bytes = b"") -> int | None:
        for line in self._lines.get(sender, ()):
            if line.frame > since and method in line.text and pattern.search(line.text):
                return line.frame
        return None
