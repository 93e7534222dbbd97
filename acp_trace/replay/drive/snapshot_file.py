"""The file of a workspace snapshot: rewritten for each directory that is kept, as one archive.

docs/trace-format.md, "Workspace snapshots", says what is kept. `snapshot` reads the file. It is a gzipped tar
archive in the pax format, and its global header `comment` is a JSON object:

    acp_trace_workspace    1; 2 if there are several directories, or texts of the end
    trace                  the trace's id: a reader uses a snapshot only for the trace that names the same id
    directory              the session's directory
    directories            of several sessions, the list of their directories. The name of each member then
                           begins with the number of its directory, from 0: `1/src/a.txt`
    files, left_out        how many files are in the archive, and how many were too much
    secrets, changed       names of the files that were left out for this reason, at most 1000
    end                    the files at the end: a list of objects, one for each directory
      directory            its number
      listing              which files count: `all`; `git`, those that the directory's own repository does not
                           ignore; `git-above`, those that the repository around the directory does not ignore
      files                new and changed files: `name`, `size`, `sha256`, `text` (UTF-8 without a NUL), and
                           `t` (the last change, in ns since the trace began)
      deleted, unknown     names of files that are gone, and of files whose state is not known

The texts of the end are members such as `end/0/src/a.txt`. `left_list` has the limits of the list: a reader
accepts the whole list or nothing.
"""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Collection, Container, Iterable
from pathlib import Path

from acp_trace.normalize import windows
from acp_trace.replay.drive.early_copies import EarlyCopies
from acp_trace.replay.drive.left_list import TEXTS, written
from acp_trace.replay.drive.left_scan import LeftScan, left_file
from acp_trace.replay.drive.secret_files import is_likely_secret
from acp_trace.replay.drive.snapshot_members import add, archive_to, placeholder
from acp_trace.replay.drive.workspace_files import (
    FileCopy,
    WorkspaceFile,
    copied,
    files_in,
    is_too_much,
    listing_of,
)
from acp_trace.replay.left_files import LeftDirectory, LeftFile
from acp_trace.trace.names import make_private, unfinished

#: Formats of a snapshot of one directory, and of several, in which the directory's number precedes names.
FORMAT, FORMAT_OF_SEVERAL = 1, 2
#: Most names in a list of files left out.
_LISTED = 1000
#: In place of the time of a file that had changed already.
_UNKNOWN = -1
#: How far a file's time may be behind: systems take it from a clock that ticks.
_TICK_NS = 10_000_000


class SnapshotFile:
    """The file with what was kept, which grows with each directory. `limit`: bytes of all files."""

    def __init__(self, target: Path, trace_id: str, limit: int, *, secrets: bool = False) -> None:
        self._target = target
        self._left = limit
        self._secrets = secrets
        self._directories: list[str] = []
        self._kept: list[str] = []  #: directories of which files are kept
        self._limit = limit
        #: By directory, the kept files, and the times of their last change, in ns since 1970.
        self._known: dict[str, dict[str, int]] = {}
        #: By directory, files that are not kept, and the times of their last change.
        self._unknown: dict[str, dict[str, int]] = {}
        self._end: dict[int, LeftDirectory] = {}
        self._trace_id = trace_id
        self._files = self._left_out = 0
        self._names: dict[str, list[str]] = {"secrets": [], "changed": []}
        make_private(str(target.parent))
        self._members = tempfile.TemporaryFile(dir=target.parent)

    def close(self) -> None:
        """Release its temporary file."""
        self._members.close()

    def add(
        self,
        directory: str,
        opened_ns: int,
        early: EarlyCopies | None = None,
        names: Container[str] | None = None,
    ) -> None:
        """Keep the files of a directory, the smallest first, as they were when a session was opened.

        Files changed since then come from `early`, copies of that directory, or are left out. A directory
        that was added before, or is inside an added one, is skipped. The snapshot appears under its name when
        it is complete, in place of the previous one. `names`: files that existed when the recorder was
        started, None if unknown: other files are new. Raises OSError.
        """
        if directory in self._directories:
            return
        self._directories.append(directory)
        if is_too_much(directory) or any(_is_below(directory, each) for each in self._kept):
            return
        self._kept.append(directory)
        since_ns = opened_ns - _TICK_NS
        found: Iterable[WorkspaceFile] = files_in(directory)
        found = sorted(
            found if early is None else early.at(found, since_ns), key=lambda file: (file.size, file.name)
        )
        secret = [] if self._secrets else [file for file in found if is_likely_secret(file.name)]
        self._list("secrets", [file.name for file in secret])
        self._known[directory] = {}
        self._pack(directory, [file for file in found if file not in secret], since_ns, early)
        known = self._known[directory]
        self._unknown[directory] = {
            file.name: _UNKNOWN if file.changed_ns >= since_ns else file.changed_ns
            for file in found
            if file.name not in known and (names is None or file.name in names)
        }
        self._write()

    def end(self, began_ns: int, is_ours: Callable[[str], bool], is_waited: Callable[[], bool]) -> None:
        """Add the state of the directories after the agent's end: what has changed. Raises OSError.

        `began_ns`: when the trace began, in ns since 1970; `is_ours`: whether a path is one of acp-trace's
        own files. Nothing is added if `is_waited` returns False, because the recorder no longer waits: its
        client may already work there.
        """
        scan, end = LeftScan(self._limit, began_ns), dict[int, LeftDirectory]()
        for directory in self._kept:
            number = self._directories.index(directory)
            paths = {name: os.path.join(directory, name) for name in self._unknown[directory]}
            files = [
                file
                for file in files_in(directory)
                if self._unknown[directory].get(file.name) != file.changed_ns
                and not is_ours(os.path.join(directory, file.name))
            ]
            there = {file.name for file in files}
            left = scan.directory(
                os.path.realpath(directory),
                files,
                self._known[directory],
                unknown={name for name, path in paths.items() if name in there or not os.path.lexists(path)},
                listing=listing_of(directory),
                goes_on=is_waited,
            )
            if left is not None and not self._has_other_name(directory):
                end[number] = left.since(
                    self._held(number, left.files.keys() & self._known[directory].keys())
                )
        if end and is_waited():
            self._end = end
            self._write(is_waited)

    def _held(self, number: int, names: Collection[str]) -> dict[str, LeftFile]:
        """Return the kept content of the files with these names."""
        held: dict[str, LeftFile] = {}
        if names:
            self._members.seek(0)
            with tarfile.open(fileobj=self._members, mode="r:") as members:
                for member in members:
                    of, _, name = member.name.partition("/")
                    if (
                        of == str(number)
                        and name in names
                        and (content := members.extractfile(member)) is not None
                    ):
                        held[name] = left_file(content.read())
        return held

    def _has_other_name(self, directory: str) -> bool:
        """Whether another directory is the same, or around or inside it, under an unrelated name."""
        real = os.path.realpath(directory)
        for other in self._kept:
            pairs = (
                (directory, other, real, os.path.realpath(other)),
                (other, directory, os.path.realpath(other), real),
            )
            if other != directory and any(_is_below(a, b) and not _is_below(x, y) for x, y, a, b in pairs):
                return True
        return False

    def _pack(
        self, directory: str, files: list[WorkspaceFile], since_ns: int, early: EarlyCopies | None
    ) -> None:
        number, real = len(self._directories) - 1, os.path.realpath(directory)
        self._members.seek(0)
        with tarfile.open(fileobj=self._members, mode="a" if self._files else "w") as archive:
            for place, file in enumerate(files):
                if file.size > self._left:
                    self._left_out += len(files) - place
                    break
                # The time is compared after reading too: the agent may write it meanwhile.
                copy = copied(real, file.name, file.size)
                if copy is None or copy.changed_ns >= since_ns:
                    copy = None if early is None else early.of(file.name, since_ns)
                if copy is None:
                    self._list("changed", [file.name])
                else:
                    add(archive, f"{number}/{file.name}", copy)
                    self._known[directory][file.name] = copy.changed_ns
                    self._files += 1
                    self._left -= file.size

    def _list(self, why: str, names: list[str]) -> None:
        self._names[why] += names[: _LISTED - len(self._names[why])]

    def _write(self, is_wanted: Callable[[], bool] = lambda: True) -> None:
        texts = {
            f"{TEXTS}{number}/{name}": file.text.encode()
            for number, left in self._end.items()
            for name, file in left.files.items()
            if file.text is not None
        }
        is_one = len(self._directories) == 1 and not texts
        about = {
            "acp_trace_workspace": FORMAT if is_one else FORMAT_OF_SEVERAL,
            "directory": self._directories[0],
            "directories": self._directories,
            "trace": self._trace_id,
            "files": self._files,
            "left_out": self._left_out,
            **self._names,
            **({"end": written(self._end)} if self._end else {}),
        }
        hidden = Path(unfinished(str(self._target), self._trace_id))
        fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(fd, "wb") as stream, archive_to(stream, json.dumps(about)) as archive:
                self._members.seek(0)
                with tarfile.open(fileobj=self._members, mode="r:") as members:
                    for member in members:
                        member.name = member.name.partition("/")[2] if is_one else member.name
                        archive.addfile(member, members.extractfile(member) if member.isreg() else None)
                if not self._files:
                    archive.addfile(placeholder())
                for name, content in texts.items():
                    add(archive, name, FileCopy(0, 0, 0o600, content))
            if is_wanted():
                os.replace(hidden, self._target)
            else:
                hidden.unlink()
        except BaseException:
            hidden.unlink(missing_ok=True)
            raise


def _is_below(directory: str, above: str) -> bool:
    in_posix = f"{directory}/".startswith(above.rstrip("/") + "/")
    return in_posix or windows.below(directory, above) is not None
