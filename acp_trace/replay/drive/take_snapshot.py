"""Keeps the files of the sessions' directories with their recording: a program that the recorder starts.

`take_snapshot TRACE TARGET ID LIMIT [secrets]` reads the trace while it is written. Whenever a client opens a
session in a new directory, it packs the files that are in there. The recorder does nothing of that, so that
traffic waits for nothing; therefore the agent may be at work already. What was changed since the session was
opened is not what the agent found: it is left out. Nothing depends on this program, and it says nothing: a
replay says what is not there.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind, read
from acp_trace.replay.drive.secret_files import is_likely_secret
from acp_trace.trace.entries import Entry, EntryKind, Header
from acp_trace.trace.jsontext import value_or_none
from acp_trace.trace.names import make_private
from acp_trace.trace.tail import Tail

#: Of a snapshot of one directory, and of one of several, whose files have the number of theirs before them.
FORMAT, FORMAT_OF_SEVERAL = 1, 2
#: How often it is seen whether a session was opened: soon at first, for most clients open one at once.
_LOOK_S, _LOOK_LATER_S, _SOON_S = 0.02, 0.25, 10.0
#: Names that are looked at: a directory with more is not a project. And names that are listed as left out.
_MOST, _LISTED = 200_000, 1000
_NICE = 10
#: By how much a file's time may be behind: systems take it from a clock that ticks.
_TICK_NS = 10_000_000


@dataclass(frozen=True, slots=True)
class _File:
    name: str  #: below the directory
    size: int


def main(trace: str, target: str, trace_id: str, limit: str, secrets: str = "") -> None:
    """Waits for sessions, and keeps the files of their directories."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    with contextlib.closing(
        SnapshotFile(Path(target), trace_id, int(limit), secrets=bool(secrets))
    ) as snapshot:
        for directory, opened_ns in _sessions(Path(trace)):
            with contextlib.suppress(OSError, ValueError):
                snapshot.add(directory, opened_ns)


def _sessions(trace: Path) -> Iterator[tuple[str, int]]:
    """Where sessions are opened, until the recorder ends; and when at the earliest, in ns since 1970.

    A message is written down before it is passed on. So what the agent does because of it comes after
    the last look at which it was not there yet. That holds, too, if the machine slept meanwhile.
    """
    recorder, began, looked, started = os.getppid(), time.monotonic(), 0, 0
    with contextlib.closing(Tail(trace)) as tail:
        while True:
            is_over = tail.dead() or os.getppid() != recorder
            looks = time.time_ns()
            entries = tail.new()
            started = started or _started(entries)
            for directory, t_ns in opened_in(entries):
                yield directory, max(started + t_ns, looked)
            if is_over:
                return
            looked = looks
            time.sleep(_LOOK_S if time.monotonic() - began < _SOON_S else _LOOK_LATER_S)


def _started(entries: Iterable[Entry]) -> int:
    """When the recording began, in ns since 1970; 0 if these entries do not say so."""
    head = next((value_or_none(entry.data) for entry in entries if entry.kind is EntryKind.HEADER), None)
    if not isinstance(head, dict):
        return 0
    try:
        return int(datetime.fromisoformat(Header.of(head).started_at).timestamp() * 1e6) * 1000
    except ValueError:
        return 0


def opened_in(entries: Iterable[Entry]) -> Iterator[tuple[str, int]]:
    """The directories with which a client opens sessions in these entries, and when, in ns."""
    for entry in entries:
        if entry.kind is EntryKind.FRAME and entry.sender == "client" and b"cwd" in entry.data:
            message = read(entry.data)
            if message.kind is MessageKind.REQUEST and message.method in methods.OPENERS:
                cwd = message.part("params").get("cwd")
                if isinstance(cwd, str):
                    yield cwd, entry.t


def is_too_much(directory: str) -> bool:
    """Whether it is the user's home directory, or around it: that holds keys, and no project."""
    home = os.path.realpath(os.path.expanduser("~"))
    return f"{home}/".startswith(os.path.realpath(directory).rstrip("/") + "/")


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

    def add(self, directory: str, opened_ns: int) -> None:
        """Keeps the files of a directory, the smallest first, but for those that were changed since a time.

        One that was added before is passed by, and so is one that lies in it. The snapshot appears under its
        name when it is complete, in the place of the one before. Raises OSError.
        """
        if directory in self._directories:
            return
        self._directories.append(directory)
        if is_too_much(directory) or any(_is_below(directory, each) for each in self._kept):
            return
        self._kept.append(directory)
        number = len(self._directories) - 1
        found = sorted(_files(directory), key=lambda file: (file.size, file.name))
        secret = [] if self._secrets else [file for file in found if is_likely_secret(file.name)]
        self._list("secrets", [file.name for file in secret])
        files = [file for file in found if self._secrets or not is_likely_secret(file.name)]
        self._members.seek(0)
        with tarfile.open(fileobj=self._members, mode="a" if self._files else "w") as archive:
            for place, file in enumerate(files):
                if file.size > self._left:
                    self._left_out += len(files) - place
                    break
                if _add(archive, directory, file, number, opened_ns):
                    self._files += 1
                    self._left -= file.size
                else:
                    self._list("changed", [file.name])
        self._write()

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


def _is_changed(directory: str, file: _File, opened_ns: int) -> bool:
    """Whether a file was written, made or renamed after a session was opened."""
    with contextlib.suppress(OSError):
        status = os.lstat(os.path.join(directory, file.name))
        # nobody can set the time of a change, which Windows does not have
        changed_ns = status.st_mtime_ns if sys.platform == "win32" else status.st_ctime_ns
        return changed_ns >= opened_ns - _TICK_NS
    return True


def _archive(stream: IO[bytes], comment: str) -> tarfile.TarFile:
    return tarfile.open(
        fileobj=stream,
        mode="w:gz",
        compresslevel=1,
        format=tarfile.PAX_FORMAT,
        pax_headers={"comment": comment},
    )


def _add(archive: tarfile.TarFile, directory: str, file: _File, number: int, opened_ns: int) -> bool:
    """Packs a file; returns whether it did: one that is gone, or was changed since a time, is left out.

    That is seen after it was read, too: the agent may write it meanwhile.
    """
    path = os.path.join(directory, file.name)
    with contextlib.suppress(OSError):
        if _is_changed(directory, file, opened_ns):
            return False
        status = os.lstat(path)
        member = tarfile.TarInfo(f"{number}/{file.name}")
        member.mode, member.mtime = stat.S_IMODE(status.st_mode) & 0o777, int(status.st_mtime)
        if stat.S_ISLNK(status.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)
            archive.addfile(member)
            return True
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as stream:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                content = stream.read(file.size + 1)
                if len(content) <= file.size and not _is_changed(directory, file, opened_ns):
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
                    return True
    return False


def _files(directory: str) -> Iterator[_File]:
    """The plain files and links of a directory, but for what git ignores, and for git's own."""
    names = _by_git(directory)
    for name in _walked(directory) if names is None else names:
        with contextlib.suppress(OSError, ValueError):
            status = os.lstat(os.path.join(directory, name))
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                yield _File(name, status.st_size)


def _by_git(directory: str) -> list[str] | None:
    """What git knows and does not ignore there; None if there is no git, or no repository.

    A repository's settings name programs that git would run (`core.fsmonitor`): they are not.
    """
    argv = ["git", "-c", "core.fsmonitor=false", "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(argv, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=True)  # fmt: skip
    except (OSError, ValueError, subprocess.CalledProcessError):
        return None
    names = dict.fromkeys(os.fsdecode(name) for name in done.stdout.split(b"\0") if name)
    return list(names)[:_MOST]


def _walked(directory: str) -> Iterator[str]:
    """All files and links below a directory, but for git's own."""
    seen = 0
    for here, below, files in os.walk(directory):
        below[:] = sorted(name for name in below if name != ".git")
        links = [name for name in below if os.path.islink(os.path.join(here, name))]
        for name in [*links, *files]:
            seen += 1
            if seen > _MOST:
                return
            yield os.path.relpath(os.path.join(here, name), directory)


if __name__ == "__main__":
    with contextlib.suppress(OSError, ValueError):  # nobody waits for it, and nobody reads what it says
        main(*sys.argv[1:])
