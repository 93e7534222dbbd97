"""Which files of a directory a workspace snapshot keeps, and a copy of a file as it was at one moment.

`snapshot_file` and `early_copies` decide what to do with them.
"""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace.replay.drive.repository_names import DIRECTORIES
from acp_trace.replay.left_files import Listing
from acp_trace.trace import tree, without_links
from acp_trace.trace.names import is_unfinished

#: Most names to look at: a directory with more is not a project.
_MOST = 200_000
#: Seconds for git: it waits for ever for a pipe in place of a file that it reads.
_GIT_S = 30.0


class WorkspaceFile(NamedTuple):
    """A plain file or a link. `name`: below its directory; `changed_ns`: since 1970."""

    name: str
    size: int
    changed_ns: int


class FileCopy(NamedTuple):
    """A file's content while it did not change, and the time of its last change. `link`: a link's target."""

    changed_ns: int
    written_s: int
    mode: int
    content: bytes = b""
    link: str | None = None


def is_too_much(directory: str) -> bool:
    """Whether it is the user's home directory, or a parent: that holds keys, and is not a project."""
    home = os.path.realpath(os.path.expanduser("~"))
    return f"{home}/".startswith(os.path.realpath(directory).rstrip("/") + "/")


def files_in(directory: str) -> Iterator[WorkspaceFile]:
    """Yield the plain files and links of a directory, except those ignored by git, and repositories' own."""
    names = _by_git(directory)
    yield from _named(directory, names_in(directory) if names is None else names)


def all_files_in(directory: str) -> Iterator[WorkspaceFile]:
    """Yield the plain files and links of a directory, except repositories' own."""
    yield from _named(directory, names_in(directory))


def listing_of(directory: str) -> Listing:
    """Return the rules by which `files_in` leaves files out."""
    if _by_git(directory) is None:
        return "all"
    return "git" if os.path.lexists(os.path.join(directory, ".git")) else "git-above"


def not_ignored(directory: str, scratch: str) -> frozenset[str] | None:
    """Return the names of files that git would not ignore in a directory that is not a repository.

    `scratch`: an empty directory for git's own data. None without git.
    """
    if _git(("init", "-q", "--template=", scratch), scratch) is None:
        return None
    own = (f"--git-dir={os.path.join(scratch, '.git')}", f"--work-tree={directory}")
    listed = _git((*own, "ls-files", "-z", "-o", "--exclude-standard"), directory)
    return None if listed is None else frozenset(_names(listed))


def _named(directory: str, names: Iterable[str]) -> Iterator[WorkspaceFile]:
    for name in names:
        if is_unfinished(os.path.basename(name)):  # a recorder's, not the agent's
            continue
        with contextlib.suppress(OSError, ValueError):
            status = os.lstat(os.path.join(directory, name))
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                yield WorkspaceFile(name, status.st_size, changed_ns(status))


def changed_ns(status: os.stat_result) -> int:
    """Return when a file was last written, made or renamed, in ns since 1970.

    The time of a change cannot be set, unlike that of a write; Windows does not have it.
    """
    return status.st_mtime_ns if sys.platform == "win32" else status.st_ctime_ns


def copied(directory: str, name: str, most: int) -> FileCopy | None:
    """Return a file's content; None if it is gone, larger than `most` bytes, or changed while it was read.

    `directory`: without links in its path, as `os.path.realpath` returns it. Nothing behind a link is read.
    """
    path = os.path.join(directory, name)
    with contextlib.suppress(OSError), without_links.parent(path) as (above, last):
        status = os.lstat(last, dir_fd=above)
        about = changed_ns(status), int(status.st_mtime), stat.S_IMODE(status.st_mode) & 0o777
        if stat.S_ISLNK(status.st_mode):
            return FileCopy(*about, link=os.readlink(last, dir_fd=above))
        with open(without_links.opened(last, os.O_RDONLY, above), "rb") as stream:
            content = stream.read(most + 1)
            after = os.fstat(stream.fileno())
            is_same = os.path.samestat(after, os.lstat(last, dir_fd=above))
            if len(content) <= most and is_same and changed_ns(after) == about[0]:
                return FileCopy(*about, content)
    return None


def _by_git(directory: str) -> list[str] | None:
    """Return the files that git knows and does not ignore; None without git, or without a repository.

    A repository's settings name programs that git would run (`core.fsmonitor`): these are not run.
    """
    listed = _git(("ls-files", "-z", "-c", "-o", "--exclude-standard"), directory)
    return None if listed is None else list(dict.fromkeys(_names(listed)))[:_MOST]


def _git(words: Sequence[str], directory: str) -> bytes | None:
    """Return git's output for a directory; None without git, if it fails, or takes too long."""
    argv = ["git", "-c", "core.fsmonitor=false", *words]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(argv, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=True, timeout=_GIT_S)  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout


def _names(listed: bytes) -> Iterator[str]:
    return (os.fsdecode(name) for name in listed.split(b"\0") if name)


def names_in(directory: str) -> Iterator[str]:
    """Return the names of all files and links below a directory, except repositories' own."""
    seen = 0
    for here, below, files in tree.walk(directory):
        below[:] = sorted(name for name in below if name not in DIRECTORIES)
        links = [name for name in below if os.path.islink(os.path.join(here, name))]
        for name in [*links, *files]:
            seen += 1
            if seen > _MOST:
                return
            yield os.path.relpath(os.path.join(here, name), directory)
