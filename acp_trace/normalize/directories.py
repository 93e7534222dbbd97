"""Paths made comparable: what lies under the directories that a trace was made in is named from there.

Only whole strings that are such a path count, plain or as a file URI; text is searched only for command
lines, and where every frame is compared with all its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from acp_trace.normalize.spellings import Naming
from acp_trace.trace import jsontext

#: What stands for a directory of the trace.
HERE = "‹cwd›"
_URI = "file://"
_ROOT = re.compile(r"(?:[A-Za-z]:)?[/\\]+")


class Directories:
    """The directories of one trace: where its agent was started, and where its sessions were opened.

    `moved`: those of two traces that stand for each other, of the expected one first (`spellings`).
    """

    def __init__(
        self, directories: Iterable[str | None], moved: Iterable[tuple[str | None, str | None]] = ()
    ) -> None:
        given = {directory for directory in directories if directory}
        #: Everything lies in these, so that only they themselves are named otherwise.
        self._roots = frozenset(directory for directory in given if _ROOT.fullmatch(directory))
        named = {directory.rstrip("/\\") for directory in given}
        pairs = [(was.rstrip("/\\"), now.rstrip("/\\")) for was, now in moved if was and now]
        # The longest first, so that a directory in a directory is found.
        plain = (directory for directory in named if directory and not directory.endswith(":"))
        self._directories = sorted(plain, key=len, reverse=True)
        self._starts = (_URI, *self._directories)
        self._key = (self._directories, pairs, self._roots)
        self._naming = Naming([(directory, HERE) for directory in self._directories], pairs)
        self._raw = [jsontext.text(part)[1:-1] for part in self._naming.parts]
        self._raw += map(jsontext.text, self._roots)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Directories):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._starts)

    def touch(self, text: bytes) -> bool:
        """Whether there may be such a path in a JSON text: a quick look, before the text is searched for it.

        Any character may be written as an escape, and `/` as another; the other escapes one must use.
        """
        if b"\\u" in text or b"\\/" in text:
            return True
        for raw in self._raw:  # noqa: SIM110  (every frame is asked: `any` takes twice as long)
            if raw in text:
                return True
        return False

    def path(self, text: str) -> str:
        """A path as seen from the directory that it lies in: `‹cwd›/a.txt`; anything else as it is."""
        if text in self._roots:
            return HERE
        scheme, plain = (_URI, text[len(_URI) :]) if text.startswith(_URI) else ("", text)
        for directory in self._directories:
            if plain.startswith(directory):
                rest = plain[len(directory) :]
                if not rest or rest[0] in "/\\":
                    return f"{scheme}{HERE}{rest}" if rest.strip("/\\") else f"{scheme}{HERE}"
        return text

    def named(self, text: str) -> str:
        """A text with such paths wherever they stand in it, however it spells them."""
        return self._naming.text(text)

    def quoted(self, value: Any) -> Any:
        """A value with such paths wherever they stand in its texts: `cd '/w' && ls`."""
        if isinstance(value, dict):
            return {key: self.quoted(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.quoted(inner) for inner in value]
        return self.named(self.path(value)) if isinstance(value, str) else value

    def neutral(self, value: Any) -> Any:
        """The value with every such path as `path` gives it: `["/w/a", 1]` becomes `["‹cwd›/a", 1]`."""
        if isinstance(value, str):
            return self.path(value) if value.startswith(self._starts) or value in self._roots else value
        if isinstance(value, dict):
            return {key: self.neutral(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.neutral(inner) for inner in value]
        return value
