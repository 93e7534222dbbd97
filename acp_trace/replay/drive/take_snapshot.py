"""Keeps the files of a session's directory with its recording: a program that the recorder starts.

`take_snapshot TRACE TARGET ID LIMIT` reads the trace while it is written, until a client opens a session, and
packs the files that are in its directory then. The recorder does nothing of that, so that traffic waits for
nothing. Nothing depends on it, and it says nothing: a replay says what is not there.
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
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind, read
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.names import make_private
from acp_trace.trace.tail import Tail

FORMAT = 1
#: How often it is seen whether a session was opened: soon at first, for most clients open one at once.
_LOOK_S, _LOOK_LATER_S, _SOON_S = 0.02, 0.25, 10.0
#: Names that are looked at: a directory with more is not a project.
_MOST = 200_000
_NICE = 10


@dataclass(frozen=True, slots=True)
class _File:
    name: str  #: below the directory
    size: int


def main(trace: str, target: str, trace_id: str, limit: str) -> None:
    """Waits for the session, and keeps the files of its directory."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICE)
    directory = _session_directory(Path(trace))
    if directory is not None and not is_too_much(directory):
        take(directory, Path(target), trace_id, int(limit))


def _session_directory(trace: Path) -> str | None:
    """Where the first session is opened; None if the recorder ends before that."""
    recorder, began = os.getppid(), time.monotonic()
    with contextlib.closing(Tail(trace)) as tail:
        while True:
            is_over = tail.dead() or os.getppid() != recorder
            if (found := opened_in(tail.new())) is not None or is_over:
                return found
            time.sleep(_LOOK_S if time.monotonic() - began < _SOON_S else _LOOK_LATER_S)


def opened_in(entries: Iterable[Entry]) -> str | None:
    """The directory with which a client opens a session in these entries; None if it opens none."""
    for entry in entries:
        if entry.kind is EntryKind.FRAME and entry.sender == "client":
            message = read(entry.data)
            if message.kind is MessageKind.REQUEST and message.method in methods.OPENERS:
                cwd = message.part("params").get("cwd")
                if isinstance(cwd, str):
                    return cwd
    return None


def is_too_much(directory: str) -> bool:
    """Whether it is the user's home directory, or around it: that holds keys, and no project."""
    home = os.path.realpath(os.path.expanduser("~"))
    return f"{home}/".startswith(os.path.realpath(directory).rstrip("/") + "/")


def take(directory: str, target: Path, trace_id: str, limit: int) -> None:
    """Packs the files of a directory, the smallest first, up to `limit` bytes. Raises OSError.

    The file appears under its name when it is complete; one that is there is replaced.
    """
    files = sorted(_files(directory), key=lambda file: (file.size, file.name))
    kept, size = 0, 0
    for file in files:
        if size + file.size > limit:
            break
        kept, size = kept + 1, size + file.size
    about = {
        "acp_trace_workspace": FORMAT,
        "trace": trace_id,
        "directory": directory,
        "files": kept,
        "left_out": len(files) - kept,
    }
    make_private(str(target.parent))
    hidden = target.with_name(f".{target.name}.{os.getpid()}.new")
    fd = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(fd, "wb") as stream, _archive(stream, json.dumps(about)) as archive:
            for file in files[:kept]:
                _add(archive, directory, file)
        os.replace(hidden, target)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise


def _archive(stream: io.BufferedWriter, comment: str) -> tarfile.TarFile:
    return tarfile.open(
        fileobj=stream,
        mode="w:gz",
        compresslevel=1,
        format=tarfile.PAX_FORMAT,
        pax_headers={"comment": comment},
    )


def _add(archive: tarfile.TarFile, directory: str, file: _File) -> None:
    """A file as it is now; one that is gone, or grew meanwhile, is left out."""
    path = os.path.join(directory, file.name)
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        member = tarfile.TarInfo(file.name)
        member.mode, member.mtime = stat.S_IMODE(status.st_mode) & 0o777, int(status.st_mtime)
        if stat.S_ISLNK(status.st_mode):
            member.type, member.linkname = tarfile.SYMTYPE, os.readlink(path)
            archive.addfile(member)
            return
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(fd, "rb") as stream:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                content = stream.read(file.size + 1)
                if len(content) <= file.size:
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))


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
