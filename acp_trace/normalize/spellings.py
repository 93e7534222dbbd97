"""The spellings of a directory in texts, and one name for them: for `diff` and the matcher of model calls.

A directory appears in a text as it is, in a file URI, escaped in JSON in a string, relative to the home
directory, to the root (also behind `../../`, and `a` and `b` of a diff) or to another directory, with its
beginning left out (`...me/w/x.py`), as one word with all its slashes replaced (`-tmp-x-p1`) or escaped
(`%2Ftmp%2Fx%2Fp1`), or as its last name alone. `windows_spellings` has what Windows adds.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from acp_trace.normalize import windows
from acp_trace.normalize.windows_spellings import FoundPath, WindowsSpellings, path_below

_NOT_WORD = re.compile(r"[^A-Za-z0-9]")
_SLASHES = re.compile(r"[/\\:]")
_FARTHEST = 8  #: levels up, relative to another directory
#: The text before a directory must not make it another one; an escaped end of a line may be there.
BEFORE = r"(?:(?<![\w/\\.~-])|(?<=\\[nrt])|(?<=file://))"
BEFORE_WORD = r"(?:(?<![\w.-])|(?<=\\[nrt]))"
#: Nor the text after it. Signs such as `ℹ` are letters to Unicode, and begin a message.
AFTER = r"(?![^\W\u2100-\u214f]|-|\.[\w-])"
AFTER_WORD = r"(?!\w)"
#: Text that may replace the root of a directory; the first group stays.
_PREFIX = r"([ab](?=/)|(?:\.\./)+)?"
#: Text that replaces the beginning of a path: `.../run/a.txt`.
_CUT = re.compile(r"\.\.\.|…")
_SHORTEST_CUT, _SHORTEST_NAME = 4, 2  #: characters that are left of a directory, and of a last name alone
_NOT_TAME = re.compile(r"[^A-Za-z0-9]+")
#: The kind of a directory without the slash before it. A single name may be any word.
FROM_ROOT = "from root"
#: The kinds that `windows_spellings` finds, for a directory of Windows.
PLAIN = frozenset({"plain", "escaped"})


class Spelling(NamedTuple):
    """One way to spell a directory. `kind` is equal for the same way with another directory."""

    kind: str
    text: str
    is_word: bool = False  #: it looks like a word, not like a path


def spellings(directory: str, others: Iterable[str] = ()) -> Iterator[Spelling]:
    """Yield all ways to spell a directory, the plain one first. `others`: directories to start from."""
    yield Spelling("plain", directory)
    if (quoted := quote(directory)) != directory:
        yield Spelling("quoted", quoted)
    if (name := quote(directory, safe="")) != directory:
        yield Spelling("name of a file", name, True)
    if directory[:1] == "/" and directory.count("/") > 1:
        yield Spelling(FROM_ROOT, directory[1:])
    if "\\" in directory:
        yield Spelling("escaped", directory.replace("\\", "\\\\"))
    for name, pattern in (("slug", _NOT_WORD), ("slashes", _SLASHES)):
        for stroke in "-_":
            yield Spelling(f"{name} {stroke}", pattern.sub(stroke, directory), True)
            if directory[1:2] == ":":  # programs do not agree on the case of a drive's letter
                other = directory[0].swapcase() + directory[1:]
                yield Spelling(f"{name} of other case {stroke}", pattern.sub(stroke, other), True)
    for number, other in enumerate(others):
        if directory.startswith(f"{other}/"):
            yield Spelling(f"home {number}", f"~{directory[len(other) :]}")
        elif other != directory and directory[:1] == other[:1] == "/":
            seen = os.path.relpath(directory, other)
            if seen.count("/") > 1 and seen.count("../") < _FARTHEST:
                yield Spelling(f"from {number}", seen)


def pattern(texts: Iterable[str], before: str, after: str) -> re.Pattern[str]:
    """Return a pattern for these texts, the longest first."""
    longest = sorted(texts, key=len, reverse=True)
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, longest))}){after}")


class Naming:
    """Puts a name in place of each directory in a text. `names`: of the directories, none of them a root.

    `moved`: pairs of matching directories, a recorded one first. A last name does not show which of the two
    it means, so the recorded one replaces the other, in texts of both sides.
    """

    def __init__(self, names: Sequence[tuple[str, str]], moved: Iterable[tuple[str, str]] = ()) -> None:
        self._names = names
        paths: dict[str, str] = {}
        words: dict[str, str] = {}
        every = [directory for directory, _ in names]
        found = WindowsSpellings(every, BEFORE, AFTER, relative=True)
        self._windows = found or None
        self._ends: list[tuple[str, str, bool]] = []
        for directory, name in names:
            on_windows = windows.read(directory) is not None
            self._ends.append((windows.folded(directory) if on_windows else directory, name, on_windows))
            for spelling in spellings(directory, every):
                if on_windows and spelling.kind in PLAIN:
                    continue
                group, end = (words, f" {spelling.kind[-1]}›") if spelling.is_word else (paths, "›")
                group.setdefault(spelling.text, name.replace("›", end))
        for recorded, actual in (map(windows.last_name, pair) for pair in moved):
            if recorded and actual and recorded != actual:
                forms = (recorded, actual, *_tamed(recorded), *_tamed(actual))
                words = {form: recorded for form in forms if len(form) >= _SHORTEST_NAME} | words
        self._groups: list[tuple[Mapping[str, str], re.Pattern[str]]] = [
            (group, pattern(group, before, after))
            for group, before, after in (
                (paths, BEFORE + _PREFIX, AFTER),
                (words, BEFORE_WORD + "()", AFTER_WORD),  # no prefix
            )
            if group
        ]
        #: A text without any of these, and without any `signs` in lower case, does not name a directory.
        self.parts = _smallest([*paths, *words])
        self.signs = found.signs

    def text(self, text: str) -> str:
        """Return the text with names for directories."""
        if "..." in text or "…" in text:
            text = self._completed(text)
        if self._windows is not None:
            text = self._windows.replaced(text, self._put_windows)
        if any(part in text for part in self.parts):
            for group, found in self._groups:
                text = found.sub(lambda match, group=group: _put(match, group), text)  # type: ignore[misc]
        return text

    def _put_windows(self, found: FoundPath) -> str:
        return f"{found.scheme}{self._names[found.number][1]}{found.rest}"

    def _completed(self, text: str) -> str:
        """Return a text with names for the directories of which it only shows the end."""
        done, parts = 0, []
        for cut in _CUT.finditer(text):
            for directory, name, on_windows in self._ends if cut.start() >= done else ():
                shown = _shown_end(directory, text, cut.end(), on_windows=on_windows)
                if shown:
                    parts += [text[done : cut.start()], name]
                    done = cut.end() + shown
                    if on_windows:
                        rest = path_below(text, cut.start(), done, "\\" in text[cut.end() : done])
                        parts.append(rest.replace("\\", "/"))
                        done += len(rest)
                    break
        return "".join([*parts, text[done:]])


def _shown_end(directory: str, text: str, at: int, *, on_windows: bool) -> int:
    """Return how many characters of a directory's end a text shows there; 0 if none."""
    shown = text[at : at + len(directory)]
    if on_windows:
        shown = windows.folded(shown)
    for length in range(len(directory), _SHORTEST_CUT - 1, -1):
        if shown.startswith(directory[-length:]) and not text[at + length : at + length + 1].isalnum():
            return length
    return 0


def _put(match: re.Match[str], names: Mapping[str, str]) -> str:
    before = match[1] or ""
    return (before if before in ("a", "b") else "") + names[match[0][len(before) :]]


def _tamed(name: str) -> tuple[str, ...]:
    """Return a name as agents write it if some characters are not allowed: `My_Shop` as `my-shop`."""
    dashed = _NOT_TAME.sub("-", name).strip("-")
    return dashed, dashed.lower()


def _smallest(texts: Iterable[str]) -> list[str]:
    """Return the texts that contain none of the others."""
    kept: list[str] = []
    for text in sorted(set(texts), key=len):
        if not any(part in text for part in kept):
            kept.append(text)
    return kept
