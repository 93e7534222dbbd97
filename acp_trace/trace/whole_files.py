"""Files that exist whole or not at all. Callers decide whether a file may be written."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

#: The prefix of unfinished files, which are renamed when they are whole.
BEING_WRITTEN = ".acp-trace-"


def put(
    path: Path, pieces: Iterable[bytes], *, private: bool, new: bool = False, special: bool = True
) -> int:
    """Write a file whole or not at all; return its size. A link in its place is replaced, not followed.

    `private`: for its owner only; otherwise as the umask says. `new`: raises FileExistsError if it exists
    by then. A device or a pipe is written into; `special=False`: it is replaced as well. Raises OSError.
    """
    if special and not new and is_special(path):
        with open(path, "wb") as stream:
            return sum(map(stream.write, pieces))
    part = path.with_name(f"{BEING_WRITTEN}{os.urandom(6).hex()}")
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(part, how, 0o600 if private else 0o666), "wb") as stream:
            written = sum(map(stream.write, pieces))
        _name(part, path, new=new)
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # the path that people know
        raise
    finally:
        with contextlib.suppress(OSError):  # the directory may be gone
            part.unlink()
    return written


def _name(part: Path, path: Path, *, new: bool) -> None:
    if not new:
        os.replace(part, path)
        return
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: the check comes before the rename
        if os.path.lexists(path):
            raise FileExistsError(17, os.strerror(17), str(path)) from None
        os.rename(part, path)


def is_special(path: str | Path) -> bool:
    """Whether it is, or leads to, a device or a pipe, which cannot lose any content."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)
