"""The directories of one trace, from which the paths inside are named.

`path` names a whole string that is such a path, plain or as a file URI; `named` names the paths in a text, in
any spelling. `moved_places` pairs the directories of two traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from urllib.parse import quote

from acp_trace.normalize import windows
from acp_trace.normalize.spellings import Naming
from acp_trace.normalize.windows_spellings import WindowsSpellings
from acp_trace.trace import jsontext

#: The name for a directory of the trace.
HERE = "‹cwd›"
_URI = "file://"


class Directories:
    """Directories, each with its name: from a mapping, or else `‹cwd›`.

    `moved`: pairs of matching directories of two traces, the expected one first (`spellings`).
    """

    def __init__(
        self,
        directories: Mapping[str, str] | Iterable[str | None],
        moved: Iterable[tuple[str | None, str | None]] = (),
    ) -> None:
        if isinstance(directories, Mapping):
            given = directories
        else:
            longest = sorted({each for each in directories if each}, key=lambda each: (-len(each), each))
            given = dict.fromkeys(longest, HERE)
        #: Everything is inside these, so only they themselves get the name.
        roots = {each: name for each, name in given.items() if windows.is_root(each)}
        self._roots = {other: name for each, name in roots.items() for other in windows.spelt_root(each)}
        self._names: dict[str, str] = {}
        for directory, name in given.items():
            if directory not in roots:
                self._names.setdefault(directory.rstrip("/\\"), name)
        #: Only for whole paths, so nothing before or after a directory matters. None if that is not needed.
        self._windows = WindowsSpellings([*self._names], "", "") or None
        self._on_windows = [*self._names.values()]
        as_in_uris = {quote(each): name for each, name in self._names.items()}
        # The longest first, so that a directory in a directory is found.
        self._longest = sorted((as_in_uris | self._names).items(), key=lambda item: -len(item[0]))
        self._starts = (_URI, *(each for each, _ in self._longest))
        self._moved = [(was.rstrip("/\\"), now.rstrip("/\\")) for was, now in moved if was and now]

    @cached_property
    def _naming(self) -> Naming:
        return Naming([*self._names.items()], self._moved)

    @cached_property
    def _raw(self) -> list[bytes]:
        """The byte strings in a JSON text that name a directory: every frame is searched for them."""
        return [jsontext.text(part)[1:-1] for part in self._naming.parts] + [*map(jsontext.text, self._roots)]

    @cached_property
    def _signs(self) -> list[bytes]:
        """The same for directories of Windows, in lower case."""
        return [sign.encode() for sign in self._naming.signs]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Directories):
            return NotImplemented
        return (self._names, self._moved, self._roots) == (other._names, other._moved, other._roots)

    def __hash__(self) -> int:
        return hash(self._starts)

    def touch(self, text: bytes) -> bool:
        """Whether there may be such a path in a JSON text: a quick look, before the text is searched for it.

        Any character may be written as an escape, and `/` as another; JSON requires the other escapes.
        """
        if b"\\u" in text or b"\\/" in text:
            return True
        for raw in self._raw:
            if raw in text:
                return True
        if self._windows is not None:
            text = text.lower()
            return any(sign in text for sign in self._signs)
        return False

    def path(self, text: str) -> str:
        """Return a path relative to its directory: `‹cwd›/a.txt`; any other string unchanged.

        A directory of Windows is followed by slashes of POSIX.
        """
        if self._windows is not None and (found := self._windows.at_start(text)) is not None:
            rest = found.rest + text[found.end :]
            return f"{found.scheme}{self._on_windows[found.number]}{rest if rest.strip('/') else ''}"
        if not text.startswith(self._starts):
            return self._roots.get(text, text)
        scheme, plain = (_URI, text[len(_URI) :]) if text.startswith(_URI) else ("", text)
        for directory, name in self._longest:
            if plain.startswith(directory):
                rest = plain[len(directory) :]
                if not rest or rest[0] in "/\\":
                    return f"{scheme}{name}{rest}" if rest.strip("/\\") else f"{scheme}{name}"
        return text

    def named(self, text: str) -> str:
        """Return a text with names for such directories wherever they appear in it, in any spelling."""
        return self._naming.text(text)
