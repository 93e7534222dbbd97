"""What files there are in a session's directory when all is over, beside those at its beginning: the shapes.

The recorder's list and the directory of a run share them. Does no I/O: `drive` makes them (`left_list`,
`left_scan`, `left_run`), and `verdict.left_changes` finds what two of them differ in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

#: By whose rules files of a directory count: all do; or none that the git repository in it ignores, or one
#: around it. What the latter ignores is known to itself alone.
Listing = Literal["all", "git", "git-above"]
LISTINGS: tuple[Listing, ...] = get_args(Listing)

#: Files of one directory that may have changed: with more of them, it is no work of an agent on a project.
MOST_FILES = 1000
#: Bytes of a text that is kept, and of all texts of a trace: what an agent writes for people is shorter.
LONGEST_TEXT, LONGEST_TEXTS = 1 << 18, 4 << 20


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A plain file at the end. `digest`: SHA-256 of its content, in hexadecimal digits.

    `text`: its content, None if that is no text, is too long, or was not kept. `t_ns`: when it was changed
    last, since the trace began; None if that is not known.
    """

    size: int
    digest: str
    is_text: bool = False
    text: str | None = None
    t_ns: int | None = None


@dataclass(frozen=True, slots=True)
class LeftDirectory:
    """A directory at the end. `files`: what is not as it was, by name; of a run also what is looked for.

    `before`: what the files of these that were there at the beginning held then, as far as that was asked.
    `deleted`: files of the beginning that are gone. `unknown`: files of which that is not known.
    """

    files: Mapping[str, LeftFile] = field(default_factory=dict)
    deleted: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    listing: Listing = "all"
    before: Mapping[str, LeftFile] = field(default_factory=dict)

    def since(self, before: Mapping[str, LeftFile], wanted: Collection[str] = ()) -> LeftDirectory:
        """Return the directory without the files that are as they were `before`, unless they are `wanted`."""
        same = {
            name
            for name, file in before.items()
            if name in self.files and self.files[name].digest == file.digest
        }
        files = {name: file for name, file in self.files.items() if name not in same or name in wanted}
        return replace(self, files=files, before=before)


@dataclass(frozen=True, slots=True)
class LeftFiles:
    """The directories of a trace at its end: by number, in the order in which sessions were opened in them.

    `recording`: the id of the trace that was recorded. `roots`: the paths that lead to each of them.
    """

    recording: str
    roots: Mapping[int, Sequence[str]]
    directories: Mapping[int, LeftDirectory]


@dataclass(frozen=True, slots=True)
class LeftBoth:
    """Those of a recording and of its run."""

    expected: LeftFiles
    actual: LeftFiles
