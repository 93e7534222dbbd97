r"""Home directories: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`, learned from a trace's directories.

NAME is taken from the agent's directory and arguments and from the directories of sessions. From then on it
is removed in every form: with either slash, and as `-home-NAME` in directory names made by agents.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from acp_trace.redact.finder import Finder

_FIRST = r"(?:/|\\{1,4})"
_SLASH = r"[\\/]{1,4}"
_DRIVE = rf"(?:[A-Za-z]:|{_FIRST}(?:mnt{_SLASH})?[a-z])(?={_SLASH}[Uu]sers)"  # Windows, WSL, MSYS
_ABOVE = rf"{_FIRST}(?:var|export)(?={_SLASH}home)"
_WSL = rf"{_FIRST}wsl[\w$.]*{_SLASH}[\w.-]+"
_PARENT = rf"(?:(?<![\\/])(?:{_DRIVE}|{_ABOVE}|{_WSL}))?{_FIRST}(?:home|[Uu]sers){_SLASH}"
#: Not in the middle of a path; but after the `\n` of JSON in a string, and after `C%3A`.
_START = r"(?:(?<![A-Za-z0-9_.-])|(?<=\\[nrt])|(?<=%3[Aa]))"
#: Names in a path have spaces; in an argument that may hold more than a path, a space ends the name.
_LONG = r"(?:[\\/]{2}[?.][\\/]|/)[A-Za-z]:"  # `\\?\C:`, and `/c:` as VS Code writes it
_PATH = re.compile(rf"(?:file:{_SLASH}|{_LONG})?{_PARENT}([^\\/:]+)")
_ARGUMENT = re.compile(rf"{_START}{_PARENT}([^\\/:\s\"'=,;]+)")
_NOBODY = frozenset({"linuxbrew", "public", "shared", "default", "all users"})

#: Where a name may follow; the path's beginning is found backwards from there.
_BEFORE_NAME = re.compile(rf"(?:home|[Uu]sers){_SLASH}")
_IN_TEXT = re.compile(rf"{_START}{_PARENT}\Z")
_OUTSIDE = ("", *" \n\t\"'`(=,;")  #: before most paths
_FAR = 160  #: a path up to a name is at most this long
#: Agents name directories after a path, with one character in place of each other than letters and digits.
_IN_SLUG = re.compile(r"[-_%](?=(?:home|[Uu]sers)([-_%]))")
_ODD = re.compile("[^A-Za-z0-9]")
_WORD = re.compile("[A-Za-z0-9]+")
_GOES_ON = re.compile(r"[A-Za-z0-9_-]|\.[A-Za-z0-9_]")
#: A name continues only in its own script: Chinese, for one, has no spaces between words.
_ANY_WORD = re.compile(r"[\w-]|\.\w")


class Homes:
    """The names of the people whose home directories are in a trace."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._folders: set[str] = set()  #: where agents and sessions work
        self._ready: _Ready | None = None

    @property
    def names(self) -> list[str]:
        """In order of appearance."""
        return list(self._numbers)

    def folder(self, path: str) -> None:
        """Learn a path in which the agent or a session works."""
        self._ready = None
        self._folders.add(path.rstrip("\\/"))
        if match := _PATH.match(path):
            self._add(match[1])

    def argument(self, argument: str) -> None:
        """Learn an argument of the agent."""
        self._ready = None
        for match in _ARGUMENT.finditer(argument):
            self._add(match[1])

    def _add(self, name: str) -> None:
        if name.lower() not in _NOBODY and not name.startswith("<"):
            self._numbers.setdefault(name, len(self._numbers) + 1)

    def signs(self) -> list[str]:
        """Return a part of each name that all of its forms have; empty if there is none."""
        return [max(_WORD.findall(name), key=len, default="") for name in self._numbers]

    def is_near(self, value: str) -> bool:
        """Whether a value is one of the directories, a parent, or something in it: it is kept in any case."""
        return self._known().is_near(value.rstrip("\\/"))

    def spans(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield where home directories are in a text, and the number of each; paths first."""
        yield from self._known().spans(text) if self._numbers else ()

    def _known(self) -> _Ready:
        if self._ready is None:
            self._ready = _Ready(self._numbers, self._folders)
        return self._ready


class _Ready:
    """All names and directories, once they are learned."""

    def __init__(self, numbers: dict[str, int], directories: set[str]) -> None:
        self._numbers = numbers
        self._slugs: dict[str, int] = {}
        for name, number in numbers.items():
            for slug in (name, _ODD.sub("-", name), _ODD.sub("_", name)):
                self._slugs.setdefault(slug, number)
        self._in_text = Finder(numbers, _ends)
        self._in_slug = Finder(self._slugs, _ends_slug)
        self._folders = sorted(directories - {""})
        self._above = Finder(self._folders, _ends_folder)

    def spans(self, text: str) -> Iterator[tuple[int, int, int]]:
        if "home" not in text and "sers" not in text:
            return
        for match in _BEFORE_NAME.finditer(text):
            if name := self._in_text.at(text, match.end()):
                start = _start(text, *match.span())
                if start is not None:
                    yield start, match.end() + len(name), self._numbers[name]
        for match in _IN_SLUG.finditer(text):
            if slug := self._in_slug.at(text, match.end(1)):
                yield match.end(), match.end(1) + len(slug), self._slugs[slug]

    def is_near(self, value: str) -> bool:
        if self._above.at(value, 0) is not None:
            return True
        for slash in "\\/":
            at = bisect_left(self._folders, value + slash)
            if value and at < len(self._folders) and self._folders[at].startswith(value + slash):
                return True
        return False


def placeholder(number: int) -> str:
    """Return the replacement of a home directory."""
    return "<home>" if number == 1 else f"<home:{number}>"


def _start(text: str, at: int, end: int) -> int | None:
    """Return where the path begins whose parent directory, with its slashes, is from `at` to `end`."""
    if text[at - 1 : at] == "/" and text[at - 2 : at - 1] in _OUTSIDE:
        return at - 1
    path = _IN_TEXT.search(text, max(at - _FAR, 0), end)
    return path.start() if path else None


def _ends(text: str, start: int, end: int) -> bool:
    goes_on = _GOES_ON if text[start:end].isascii() else _ANY_WORD
    return goes_on.match(text, end) is None


def _ends_slug(text: str, _start: int, end: int) -> bool:
    return not (text[end : end + 1].isascii() and text[end : end + 1].isalnum())


def _ends_folder(text: str, _start: int, end: int) -> bool:
    return text[end : end + 1] in ("", "\\", "/")
