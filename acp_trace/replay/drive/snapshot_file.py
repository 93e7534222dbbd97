"""The file of a workspace snapshot: written anew with each directory that is kept, in one archive.

docs/trace-format.md, "Workspace snapshots". `snapshot` reads it.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from acp_trace.replay.drive.early_copies import EarlyCopies
from acp_trace.replay.drive.secret_files import is_likely_secret
from acp_trace.replay.drive.workspace_files import FileCopy, WorkspaceFile, copied, files_in, is_too_much
from acp_trace.trace.names import make_private

#: Of a snapshot of one directory, and of one of several, whose files have the number of theirs before them.
FORMAT, FORMAT_OF_SEVERAL = 1, 2
#: Names that are listed as left out.
_LISTED = 1000
#: By how much a file's time may be behind: systems take it from a clock that ticks.
_TICK_NS = 10_000_000


class SnapshotFile:
    """The file with what was kept, which grows with each directory. `limit`: bytes of all files."""

    def __init__(self, target: Path, trace_id: str, limit: int, *, secrets: bool = False) -> None:
        self._target = target
        self._left = limit
        self._secrets = secrets
        self._directories: list[str] = []
        self._kept: list[str] = []  #: those of which files are kept
        self._trace_id = trace_id
        self._files = self._left_out = 0
        self._names: dict[str, list[str]] = {"secrets": [], "changed": []}
        make_private(str(target.parent))
        self._members = tempfile.TemporaryFile(dir=target.parent)

    def close(self) -> None:
        """Lets go of its file in between."""
        self._members.close()

    def add(self, directory: str, opened_ns: int, early: EarlyCopies | None = None) -> None:
        """Keeps the files of a directory, the smallest first, as they were when a session was opened.

        What was changed since is taken from `early`, copies of that directory, or left out. A directory that
        was added before is passed by, and so is one that lies in it. The snapshot appears under its name when
        it is complete, in the place of the one before. Raises OSError.
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
        self._pack(directory, [file for file in found if file not in secret], since_ns, early)
        self._write()

    def _pack(
        self, directory: str, files: list[WorkspaceFile], since_ns: int, early: EarlyCopies | None
    ) -> None:
        number = len(self._directories) - 1
        self._members.seek(0)
        with tarfile.open(fileobj=self._members, mode="a" if self._files else "w") as archive:
            for place, file in enumerate(files):
                if file.size > self._left:
                    self._left_out += len(files) - place
                    break
                # The time is looked at after it was read, too: the agent may write it meanwhile.
                copy = copied(os.path.join(directory, file.name), file.size)
                if copy is None or copy.changed_ns >= since_ns:
                    copy = None if early is None else early.of(file.name, since_ns)
                if copy is None:
                    self._list("changed", [file.name])
                else:
                    _add(archive, f"{number}/{file.name}", copy)
                    self._files += 1
                    self._left -= file.size

    def _list(self, why: str, names: list[str]) -> None:
        self._names[why] += names[: _LISTED - len(self._names[why])]

    def _write(self) -> None:
        is_one = len(self._directories) == 1
        about = {
            "acp_trace_workspace": FORMAT if is_one else FORMAT_OF_SEVERAL,
            "directory": self._directories[0],
            "directories": self._directories,
            "trace": self._trace_id,
            "files": self._files,
            "left_out": self._left_out,
            **self._names,
        }
        hidden = self._target.with_name(f".{self._target.name}.{os.getpid()}.new")
        fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(fd, "wb") as stream, _archive(stream, json.dumps(about)) as archive:
                self._members.seek(0)
                with tarfile.open(fileobj=self._members, mode="r:") as members:
                    for member in members:
                        member.name = member.name.partition("/")[2] if is_one else member.name
                        archive.addfile(member, members.extractfile(member) if member.isreg() else None)
            os.replace(hidden, self._target)
        except BaseException:
            hidden.unlink(missing_ok=True)
            raise


def _is_below(directory: str, above: str) -> bool:
    return f"{directory}/".startswith(above.rstrip("/") + "/")


def _archive(stream: IO[bytes], comment: str) -> tarfile.TarFile:
    return tarfile.open(
        fileobj=stream,
        mode="w:gz",
        compresslevel=1,
        format=tarfile.PAX_FORMAT,
        pax_headers={"comment": comment},
    )


def _add(archive: tarfile.TarFile, name: str, copy: FileCopy) -> None:
    member = tarfile.TarInfo(name)
    member.mode, member.mtime = copy.mode, copy.written_s
    if copy.link is not None:
        member.type, member.linkname = tarfile.SYMTYPE, copy.link
        archive.addfile(member)
        return
    member.size = len(copy.content)
    archive.addfile(member, io.BytesIO(copy.content))
