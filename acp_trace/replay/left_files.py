"""The files in a session's directory at the end, beside those at its beginning: the shapes.

The recorder's list and the directory of a run share them. Does no I/O: `drive` makes them (`left_list`,
`left_scan`, `left_run`), and `verdict.left_changes` finds the differences between two of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

#: The rules by which a directory's files count: all; or all that the git repository in it, or around it, does
#: not ignore. Only the latter repository itself knows what it ignores.
Listing = Literal["all", "git", "git-above"]
LISTINGS: tuple[Listing, ...] = get_args(Listing)

#: Most files of one directory that may have changed: more are not an agent's work on a project.
MOST_FILES = 1000
#: Bytes of a text that is kept, and of all texts of a trace: an agent's texts for people are shorter.
LONGEST_TEXT, LONGEST_TEXTS = 1 << 18, 4 << 20


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A plain file at the end. `digest`: SHA-256 of its content, in hexadecimal digits.

    `text`: its content, None if that is not text, is too long, or was not kept. `t_ns`: its last change,
    since the trace began; None if unknown.
    """

    size: int
    digest: str
    is_text: bool = False
    text: str | None = None
    t_ns: int | None = None


@dataclass(frozen=True, slots=True)
class LeftDirectory:
    """A directory at the end. `files`: what has changed, by name; for a run, also the wanted files.

    `before`: the original content of those files that existed at the beginning, as far as requested.
    `deleted`: files of the beginning that are gone. `unknown`: files whose state is not known.
    """

    files: Mapping[str, LeftFile] = field(default_factory=dict)
    deleted: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    listing: Listing = "all"
    before: Mapping[str, LeftFile] = field(default_factory=dict)

    def since(self, before: Mapping[str, LeftFile], wanted: Collection[str] = ()) -> LeftDirectory:
        """Return the directory without the files that are unchanged since `before`, except `wanted` ones."""
        same = {
            name
            for name, file in before.items()
            if name in self.files and self.files[name].digest == file.digest
        }
        files = {name: file for name, file in self.files.items() if name not in same or name in wanted}
        return replace(self, files=files, before=before)


@dataclass(frozen=True, slots=True)
class LeftFiles:
    """The directories of a trace at its end: by number, in the order in which sessions opened them.

    `recording`: the id of the trace that was recorded. `roots`: the paths that lead to each of them.
    """

    recording: str
    roots: Mapping[int, Sequence[str]]
    directories: Mapping[int, LeftDirectory]


@dataclass(frozen=True, slots=True)
class LeftBoth:
    """The directories of a recording and of its run."""

    expected: LeftFiles
    actual: LeftFiles
