"""Paths made comparable: what lies under the folders that a trace was made in is named from there.

Only whole strings that are such a path are taken, plain or as a file URI; text is searched only for command
lines, and where every frame is compared with all its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from acp_trace.trace import jsontext

_HERE = "‹cwd›"
_URI = "file://"
_ROOT = re.compile(r"(?:[A-Za-z]:)?[/\\]+")


class Folders:
    """The folders of one trace: where its agent was started, and where its sessions were opened."""

    def __init__(self, folders: Iterable[str | None]) -> None:
        given = {one for one in folders if one}
        named = {one.rstrip("/\\") for one in given}
        #: Everything lies in these, so that only they themselves are named otherwise.
        self._roots = frozenset(one for one in given if _ROOT.fullmatch(one))
        # The longest first, so that a folder in a folder is found.
        self._folders = sorted((one for one in named if one and not one.endswith(":")), key=len, reverse=True)
        self._starts = (_URI, *self._folders)
        named_here = "|".join(map(re.escape, self._folders))
        ends = r"(?<![\w/\\.-])(?:" + named_here + r")(?![\w.-])"
        self._words = re.compile(ends) if named_here else None
        self._raw = [jsontext.text(one)[1:-1] for one in self._folders]
        self._raw += map(jsontext.text, self._roots)

    def touch(self, text: bytes) -> bool:
        """Whether there may be such a path in a JSON text: a quick look, before the text is read for it.

        Any character may be written as an escape, and `/` as another; the other escapes one must use.
        """
        if b"\\u" in text or b"\\/" in text:
            return True
        for one in self._raw:  # noqa: SIM110  (every frame is asked: `any` takes twice as long)
            if one in text:
                return True
        return False

    def path(self, text: str) -> str:
        """A path as seen from the folder that it lies in; anything else as it is."""
        if text in self._roots:
            return _HERE
        scheme, plain = (_URI, text[len(_URI) :]) if text.startswith(_URI) else ("", text)
        for folder in self._folders:
            if plain.startswith(folder):
                rest = plain[len(folder) :]
                if not rest or rest[0] in "/\\":
                    return f"{scheme}{_HERE}{rest}" if rest.strip("/\\") else f"{scheme}{_HERE}"
        return text

    def command(self, value: Any) -> Any:
        """A command, or its arguments, with such paths wherever they stand in it: `cd '/w' && ls`."""
        if isinstance(value, list):
            return [self.command(inner) for inner in value]
        if not isinstance(value, str):
            return value
        path = self.path(value)
        return path if self._words is None else self._words.sub(_HERE, path)

    def quoted(self, value: Any) -> Any:
        """The value with every such path in it, also where a text quotes one."""
        if isinstance(value, dict):
            return {key: self.quoted(inner) for key, inner in value.items()}
        return [self.quoted(inner) for inner in value] if isinstance(value, list) else self.command(value)

    def neutral(self, value: Any) -> Any:
        """The value with every such path in it."""
        if isinstance(value, str):
            return self.path(value) if value.startswith(self._starts) or value in self._roots else value
        if isinstance(value, dict):
            return {key: self.neutral(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.neutral(inner) for inner in value]
        return value
