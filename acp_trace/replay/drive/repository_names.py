"""Names of files that belong to a version control system: the only place for this rule. Pure.

The settings of a repository name programs that its system runs (git's `core.fsmonitor`, `[hooks]` in
Mercurial's `.hg/hgrc`, `posthook` in `_darcs/prefs/defaults`), and agents run git and the like in their
directory. So no untrusted file may make a repository. Each system treats a directory as a repository if it
contains a directory of a known name. Git also accepts a directory that itself has `HEAD`, `objects` and
`refs` ("bare"), without any dotted name, but not without a file `HEAD`. File systems accept several spellings
of a name: git's own list of these is followed (`is_hfs_dotgit` in its utf8.c, `is_ntfs_dotgit` in its
path.c).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

#: Directories of git, Mercurial, Sapling, Jujutsu, Breezy, darcs and Pijul, whose settings all name programs.
#: Subversion's do not.
DIRECTORIES = frozenset({".git", ".hg", ".sl", ".jj", ".bzr", "_darcs", ".pijul"})
#: With their short names on Windows.
_OWN = DIRECTORIES | {f"{name[1:]}~1" for name in DIRECTORIES if name.startswith(".")}
_HEAD = "head"
#: Characters that HFS+ ignores in a name.
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
#: Parts of a name that Windows ignores: a stream, and final dots and spaces.
_BEHIND = re.compile(r"(?::.*|[. ]+)+\Z", re.DOTALL)


def is_of_repository(name: str) -> bool:
    """Return whether a file belongs to a repository on any file system. `name`: its path, with slashes.

    `sub/.GIT/config`, `git~1/config`, `.hg/hgrc`, `fixtures/HEAD`; not `.github/x`, `HEAD.md`, `.hgignore`.
    """
    parts = [part for each in PurePosixPath(name).parts for part in each.split("\\")]
    known = [_BEHIND.sub("", _IGNORED.sub("", part)).casefold() for part in parts]
    return known[-1:] == [_HEAD] or not _OWN.isdisjoint(known)
