r"""Directories of Windows in texts: every way to write one, and the path below it. Pure.

A directory on a drive or a share is found with either slash, with its backslashes doubled once or several
times (JSON in JSON), behind `\\?\`, in a file URI, as WSL and Git Bash write it, and in any case. A directory
below `/mnt/c` or `/c` is also found on its drive, and one in a share of WSL also as Linux writes it.

The path below is returned with slashes of POSIX. But a backslash may also begin an escape, so in a text

- only as many backslashes as separate the directory's own names separate two names
- after a directory that is written with slashes, `\n`, `\t` and the like are escapes
- a blank ends the path, unless the path is in quotes
"""

from __future__ import annotations

import ntpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from acp_trace.normalize import windows
from acp_trace.normalize.windows import WindowsPath

_SLASH = r"(?:\\{1,8}|/)"  # JSON in JSON in JSON has eight
#: Before a server, or before `?`. `https://server` is not a share.
_TWO = r"(?:\\{2,16}|(?<!:)//)"
_WSL = r"(?ai:wsl(?:\$|%24|\.localhost))"
#: The first character of a directory: most places in a text are passed over without looking behind them.
_BEGINS = r"(?=[A-Za-z\\/~.])"
#: Where a drive is mounted. Git Bash also has `/d`, but a directory of Linux may be called so.
_MOUNTS = ("/mnt/", "/cygdrive/", "/c/")
_RUN = re.compile(r"\\+")
_SIGN = re.compile(r"[a-z0-9._-]*")
_QUOTES = "\"'`"
_FARTHEST = 8  #: levels up, relative to another directory


class FoundPath(NamedTuple):
    """A path in a text, from `start` to `end`: the directory with this number, and the rest of the path."""

    start: int
    end: int
    number: int
    scheme: str  #: `file://`, or empty
    rest: str  #: with slashes of POSIX, such as `/src/a.ts`
    written: str  #: the rest as it is in the text
    backslashes: int  #: between two names of the directory; 0 for slashes

    def directory(self, actual: str) -> str:
        """Return another directory, written like this one."""
        if self.scheme:
            return windows.uri(actual)
        if windows.read(actual) is None:
            return actual
        slash = "\\" * self.backslashes or "/"
        return re.sub(r"[\\/]", lambda _: slash, actual)

    def moved(self, actual: str) -> str:
        """Return the path in another directory, with its slashes if that is one of Windows."""
        rest = self.rest if windows.read(actual) is None else self.written
        return f"{self.directory(actual)}{rest}"


class WindowsSpellings:
    """Finds directories of Windows in texts. It is false if none of the directories is one of Windows.

    `before`, `after`: patterns for what may be around a directory in a text. `relative`: whether a directory
    is also found relative to the others. `encode`: how the texts are encoded.
    """

    def __init__(
        self,
        directories: Sequence[str],
        before: str,
        after: str,
        *,
        relative: bool = False,
        encode: Callable[[str], str] = str,
    ) -> None:
        paths = {
            number: path
            for number, directory in enumerate(directories)
            if (path := windows.read(directory, mounts=directory.startswith(_MOUNTS))) is not None
            and (path.names or not path.is_drive)
        }
        #: The longest first, so that a directory in a directory is found.
        self._numbers = sorted(paths, key=lambda number: -len("/".join(paths[number].names)))
        others = [*paths.values()] if relative else []
        every = "|".join(
            f"({encode('|'.join(_patterns(paths[number], directories[number], others)))})"
            for number in self._numbers
        )
        self._in_text = re.compile(f"{_BEGINS}{before}(?:{every}){after}") if every else None
        self._at_start = re.compile(f"{_BEGINS}(?:{every})(?=[\\\\/]|\\Z)") if every else None
        #: A text without any of these, in lower case, does not name a directory.
        self.signs = [*dict.fromkeys(sign for path in paths.values() for sign in _signs(path))]

    def __bool__(self) -> bool:
        return self._in_text is not None

    def at_start(self, text: str) -> FoundPath | None:
        """Return the path that is the whole text; None if it does not begin with a directory."""
        match = None if self._at_start is None else self._at_start.match(text)
        return None if match is None else self._found(match, is_whole=True)

    def replaced(self, text: str, put: Callable[[FoundPath], str]) -> str:
        """Return a text with other texts in place of the paths in it."""
        parts: list[str] = []
        done = 0
        for found in self.find(text):
            parts += [text[done : found.start], put(found)]
            done = found.end
        return "".join([*parts, text[done:]]) if parts else text

    def find(self, text: str) -> Iterator[FoundPath]:
        """Yield the paths in a text, in order."""
        if self._in_text is None:
            return
        lowered = text.lower()
        if any(sign in lowered for sign in self.signs):
            match = self._in_text.search(text)
            while match:
                found = self._found(match)
                yield found
                match = self._in_text.search(text, found.end)

    def _found(self, match: re.Match[str], *, is_whole: bool = False) -> FoundPath:
        written = match[0]
        backslashes = min(map(len, _RUN.findall(written)), default=0)
        scheme = "" if not written.startswith("file:") else "file://" if written[6] == "/" else "file:"
        is_of_linux = written[0] == "/" != written[1:2] and ":" not in written
        rest = "" if is_of_linux else path_below(match.string, *match.span(), backslashes, is_whole=is_whole)
        number = self._numbers[(match.lastindex or 1) - 1]
        end = match.end() + len(rest)
        return FoundPath(match.start(), end, number, scheme, _RUN.sub("/", rest), rest, backslashes)


def _patterns(path: WindowsPath, directory: str, others: Iterable[WindowsPath]) -> Iterator[str]:
    """Yield patterns for all ways to write a directory."""
    folds = not path.is_linux
    names = "".join(f"{_SLASH}{_name(name, folds)}" for name in path.names)
    in_uri = "".join(f"{_SLASH}{_name_in_uri(name, folds)}" for name in path.names)
    if path.is_drive:
        drive = f"[{path.root[0].lower()}{path.root[0]}]"
        as_linux = "" if windows.read(directory) is None else rf"|/(?:mnt/|cygdrive/)?{drive}"
        yield rf"(?:(?:{_TWO}[?.]{_SLASH}|/)?{drive}:{as_linux}){names}"
        yield rf"file:/{{1,3}}{drive}(?::|%3[aA]){in_uri}"
    else:
        server, share = path.root[2:].split("/")
        server = _WSL if path.is_linux else _name(server, True)
        yield rf"{_TWO}(?:[?.]{_SLASH}(?ai:unc){_SLASH})?{server}{_SLASH}{_name(share, True)}{names}"
        yield rf"file:/{{2}}(?:/{{2,3}})?{server}{_SLASH}{_name_in_uri(share, True)}{in_uri}"
        if path.is_linux and path.names:
            yield re.escape("".join(f"/{name}" for name in path.names))
            yield re.escape(windows.uri("".join(f"/{name}" for name in path.names)))
    for other in others:
        if inner := _relative(path, other):
            yield _SLASH.join(re.escape(name) if name in "~.." else _name(name, folds) for name in inner)


def _relative(path: WindowsPath, other: WindowsPath) -> list[str]:
    """Return the names of a path relative to another directory, which may be the home; empty if far away."""
    if path.key[0] != other.key[0] or path.key == other.key:
        return []
    if path.key[: len(other.key)] == other.key:
        return ["~", *path.names[len(other.names) :]]
    # Absolute, so that the system is not asked for its directory.
    names = ntpath.relpath(*("\\".join(["C:", *each.names, ""]) for each in (path, other))).split("\\")
    return names if len(names) > 2 and names.count("..") <= _FARTHEST and names[-1] != ".." else []


def _name(name: str, folds: bool) -> str:
    """Return a pattern for a name. Only letters that are one in Windows are one here."""
    if not folds:
        return re.escape(name)
    if name.isascii():
        return f"(?ai:{re.escape(name)})"
    return "".join(map(_letter, name))


def _letter(letter: str) -> str:
    return f"(?:{'|'.join(map(re.escape, _cases(letter)))})"


def _cases(letter: str) -> list[str]:
    cases = dict.fromkeys((letter, letter.lower(), letter.upper()))
    return [each for each in cases if len(each) == 1]


def _name_in_uri(name: str, folds: bool) -> str:
    return "".join(
        _name(letter, folds)
        if letter == quote(letter)
        else f"(?:{_name(letter, folds)}|(?ai:{'|'.join(map(quote, _cases(letter) if folds else letter))}))"
        for letter in name
    )


def _signs(path: WindowsPath) -> Iterator[str]:
    last = path.names[-1] if path.names else path.root.rpartition("/")[2]
    sign = _SIGN.match(last.lower())
    for slash in "\\/":
        yield slash + (sign[0] if sign else "")


def path_below(text: str, start: int, end: int, backslashes: int, *, is_whole: bool = False) -> str:
    r"""Return the path that a text continues behind a directory: `\src\a.ts`. Empty if none.

    `start`, `end`: where the directory is, whose names `backslashes` separate. `is_whole`: whether the text
    is one path, except for a line or a query at its end.
    """
    quoted_by = text[start - 1 : start]
    if is_whole:
        match = _anything(backslashes, "").fullmatch(text, end)
    elif quoted_by and quoted_by in _QUOTES:
        match = _anything(backslashes, quoted_by).match(text, end)
    else:
        match = None
    match = match or _words(backslashes).match(text, end)
    return match[0] if match else ""


@lru_cache
def _anything(backslashes: int, quoted_by: str) -> re.Pattern[str]:
    """Return a pattern for a path that a quote ends, or the end of the text. Names may have blanks."""
    slash = _separator(backslashes)
    if quoted_by:
        return re.compile(rf"(?:{slash}[^\\/:*?\"<>|\t\r\n\f\v{quoted_by}]+)+(?=\\*{quoted_by})")
    # A text without blanks is not prose, and has no escapes.
    return re.compile(
        rf"(?:{_SLASH}[^\\/:*?\"<>|\s]+)*{_SLASH}?|(?:{slash}[^\\/:*?\"<>|\t\r\n\f\v'`;,]+(?<! ))*{slash}?"
    )


@lru_cache
def _words(backslashes: int) -> re.Pattern[str]:
    """Return a pattern for a path in a text."""
    slash = _separator(backslashes)
    return re.compile(rf"(?:{slash}[^\\/:*?\"<>|\s'`;,]+)+(?:{slash}(?=[\s'`)]|\Z))?|{slash}(?=[\s'`)]|\Z)")


def _separator(backslashes: int) -> str:
    """Return a pattern for what separates two names below a directory whose names have this many."""
    if not backslashes:
        return r"(?:/|\\{1,8}(?![\\nrtbfu]))"
    if backslashes > 1:
        return rf"(?:/|(?<!\\)\\{{{backslashes}}}(?!\\))"
    # `\n` at the end of a word is an escape: nothing is called that.
    return r"(?:/|(?!(?:\\[nrt]){1,4}(?:[\s\"'`]|\Z))\\(?!\\))"
