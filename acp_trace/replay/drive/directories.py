"""Where a run takes place: a named directory, a fresh one, or a copy of a workspace.

Fresh directories are removed when the run is over. A recording's directory name can be any text: for all of
them, nothing is made outside these directories (docs/security.md, "What a replay does").

In a copy, links stay links: nothing behind a link is copied. Only directories, files and links are copied.
Sockets, pipes and devices are left out: they belong to a running program, and reading one may wait for ever.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from acp_trace.normalize import windows
from acp_trace.replay.drive.waits import Stop
from acp_trace.trace.scratch import scratch

_BLOCK = 1 << 20  #: bytes of a file that are copied in one go


class Stopped(Exception):
    """A wish to stop came in the middle of a copy."""


#: Puts files into a run's directory that replaces a recorded one. May raise OSError, Stopped.
Fill = Callable[[str, Path], None]


@contextmanager
def directories(
    recorded: Sequence[str],
    *,
    cwd: Path | None = None,
    workspace: Path | None = None,
    fill: Fill | None = None,
    stop: Stop,
) -> Iterator[dict[str, str]]:
    """Return the run's directory for each recorded one. Raises OSError; `Stopped` in the middle of a copy.

    The first one is `cwd`, else fresh, with the content of `workspace`. A directory inside another one stays
    inside it, unless it would lead out; every other one is fresh, with what `fill` puts there. `["/w",
    "/w/docs", "/x"]` become `{"/w": "/tmp/1/a", "/w/docs": "/tmp/1/a/docs", "/x": "/tmp/1/b"}`.
    """
    root: Path | None = None
    actual: dict[str, str] = {}
    with ExitStack() as removed:
        for directory in recorded:
            within = ((each, rest) for each in actual if (rest := _below(directory, each)) is not None)
            above, rest = next(within, ("", ""))
            inner = made_below(actual[above], rest) if above else None
            if inner is not None:
                actual[directory] = inner
            elif cwd is not None and not actual:
                actual[directory] = str(cwd.resolve())
            else:
                root = root or removed.enter_context(scratch())
                fresh = tempfile.mkdtemp(prefix="", dir=root)
                if workspace is not None and not actual:
                    copy(workspace, Path(fresh), leave_out=root, stop=stop)
                elif fill is not None:
                    fill(directory, Path(fresh))
                actual[directory] = fresh
        yield actual


def _below(directory: str, above: str) -> str | None:
    """Return the rest of the path of a directory in another one: `/docs`; else None."""
    if (rest := windows.below(directory, above)) is not None:
        return f"/{rest}"
    above = above.rstrip("/\\")
    return directory[len(above) :] if directory.startswith(f"{above}/") else None


def made_below(root: str, more: str) -> str | None:
    """Return the directory of this name below a root; None if it is outside, or the name is invalid."""
    try:
        inner = Path(os.path.realpath(root + more))
        if not inner.is_relative_to(os.path.realpath(root)):
            return None
        inner.mkdir(parents=True, exist_ok=True)
    except ValueError:  # a NUL
        return None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            return None
        raise
    return str(inner)


def copy(source: Path, target: Path, *, leave_out: Path, stop: Stop) -> None:
    """Copy the content of a directory into an existing one. Raises OSError, Stopped.

    `leave_out`: a directory to skip, because the copy itself may be in it.
    """
    copied: list[tuple[str, Path]] = []
    left_out = os.stat(leave_out)
    for source_directory, below, files in os.walk(source, onerror=_raise):
        target_directory = target / os.path.relpath(source_directory, source)
        copied.append((source_directory, target_directory))
        for name in [*below, *files]:
            if stop.is_set():
                raise Stopped
            path = os.path.join(source_directory, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                os.symlink(os.readlink(path), target_directory / name)
            elif stat.S_ISREG(status.st_mode):
                _copy_file(path, target_directory / name, stop)
            elif stat.S_ISDIR(status.st_mode):
                if os.path.samestat(status, left_out):
                    below.remove(name)
                else:
                    (target_directory / name).mkdir()
    for was, made in reversed(copied):  # only now: a directory may be read-only
        shutil.copystat(was, made)


def _copy_file(source: str, target: Path, stop: Stop) -> None:
    """Copy a file, which may take minutes and can be stopped in the middle. Raises OSError, Stopped."""
    how = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(source, how), "rb", buffering=0) as read, open(target, "xb", buffering=0) as written:
        while block := read.read(_BLOCK):
            if stop.is_set():
                raise Stopped
            left = memoryview(block)
            while left:
                left = left[written.write(left) :]
    shutil.copystat(source, target, follow_symlinks=False)


def _raise(error: OSError) -> None:
    raise error
