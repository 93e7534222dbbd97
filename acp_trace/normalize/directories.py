"""Paths made comparable: what lies under the directories that a trace was made in is named from there.

Only whole strings that are such a path count, plain or as a file URI; text is searched only for command
lines, and where every frame is compared with all its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from acp_trace.trace import jsontext

#: A path of which the beginning is left out: `.../run/a.txt`.
_CUT = re.compile(r"(?:\.\.\.|…)([^\s\"'`,;:()]+)")
_SHORTEST = 4  #: characters that are left of a directory
#: What stands for a directory of the trace.
HERE = "‹cwd›"
_URI = "file://"
_ROOT = re.compile(r"(?:[A-Za-z]:)?[/\\]+")


class Directories:
    """The directories of one trace: where its agent was started, and where its sessions were opened."""

    def __init__(self, directories: Iterable[str | None]) -> None:
        given = {directory for directory in directories if directory}
        named = {directory.rstrip("/\\") for directory in given}
        #: Everything lies in these, so that only they themselves are named otherwise.
        self._roots = frozenset(directory for directory in given if _ROOT.fullmatch(directory))
        # The longest first, so that a directory in a directory is found.
        plain = (directory for directory in named if directory and not directory.endswith(":"))
        self._directories = sorted(plain, key=len, reverse=True)
        self._starts = (_URI, *self._directories)
        named_here = "|".join(map(re.escape, self._directories))
        ends = r"(?<![\w/\\.-])(?:" + named_here + r")(?![\w.-])"
        self._words = re.compile(ends) if named_here else None
        # As seen from the root, or from elsewhere: `../../tmp/x/a.txt`. One name alone may be any word.
        relative = [directory[1:] for directory in self._directories if directory.count("/") > 1]
        seen = [rf"(file://|[ab](?=/))?(?:{named_here})"]
        seen += [rf"(?:\.\./)*(?:{'|'.join(map(re.escape, relative))})"] if relative else []
        inner = rf"(?<![\w/\\.-])(?:{'|'.join(seen)})(?![\w.-]*[\w-])"
        self._inner = re.compile(inner) if named_here else None
        looked_for = [directory[directory.count("/") > 1 :] for directory in self._directories]
        self._looked_for = looked_for
        self._raw = [jsontext.text(directory)[1:-1] for directory in looked_for]
        self._raw += map(jsontext.text, self._roots)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Directories):
            return NotImplemented
        return self._directories == other._directories and self._roots == other._roots

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

    def command(self, value: Any) -> Any:
        """A command, or its arguments, with such paths wherever they stand in it: `cd '/w' && ls`."""
        if isinstance(value, list):
            return [self.command(inner) for inner in value]
        if not isinstance(value, str):
            return value
        path = self.path(value)
        return path if self._words is None else self._words.sub(HERE, path)

    def named(self, text: str) -> str:
        """A text with such paths wherever they stand in it.

        Also behind `a` and `b` of a diff (`a/w/x.py`), as seen from elsewhere (`../../home/w/x.py`), and with
        the beginning left out (`...me/w/x.py`).
        """
        if self._inner is None:
            return text
        if any(directory in text for directory in self._looked_for):
            text = self._inner.sub(lambda match: f"{match[1] or ''}{HERE}", text)
        return _CUT.sub(self._whole, text) if "..." in text or "…" in text else text

    def _whole(self, match: re.Match[str]) -> str:
        """A path with the directory of which it shows only the end."""
        for directory in self._directories:
            for length in range(min(len(directory), len(match[1])), _SHORTEST - 1, -1):
                rest = match[1][length:]
                if match[1].startswith(directory[-length:]) and (not rest or rest[0] in "/\\"):
                    return f"{HERE}{rest}"
        return match[0]

    def quoted(self, value: Any) -> Any:
        """The same, also where a text quotes such a path."""
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
