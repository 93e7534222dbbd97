"""Where a recorder puts its trace file, so that no reader ever sees half a header.

Into the spool: made under another name, locked, filled, then renamed; so a file in the spool is either
locked by its recorder or its recorder is dead. With `--out`: that file alone, or a device. Nothing is ever
overwritten: a file in the way becomes `NAME.1.jsonl`, `NAME.2.jsonl` … Everything that can go wrong is
an OSError, which the sink takes for a loss and tries again.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from acp_trace.record.outfile import refused
from acp_trace.record.sink import hold
from acp_trace.trace.home import Home, make_private
from acp_trace.trace.spool import SUFFIX

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)

#: Writes what a new file begins with: the header, or all that a deleted one held.
Fill = Callable[[int], None]


def in_spool(trace_id: str, fill: Fill) -> tuple[int, Path]:
    """A new file in the spool folder, which is made where it is missing. Raises OSError."""
    spool = Home.find().spool
    make_private(spool)
    path = spool / (trace_id + SUFFIX)
    hidden = _hidden(path, trace_id)
    hidden.unlink(missing_ok=True)
    return _ready(_new(hidden, path), fill, hidden, path)


def in_file(named: Path, trace_id: str, fill: Fill) -> tuple[int, Path]:
    """The file of this name; one that is there already is kept under a number.

    An editor starts the same command again and again: the newest trace has the name that was asked
    for, and no earlier one is lost. Raises OSError.
    """
    path = named.absolute()
    if what := refused(path):
        raise OSError(errno.EINVAL, f"is {what}", str(path))
    if path.exists() and not path.is_file():
        return _device(path, fill)
    _keep(path)
    hidden = _hidden(path, trace_id)
    return _ready(_new(hidden, path), fill, hidden, path)


def _device(path: Path, fill: Fill) -> tuple[int, Path]:
    """A character device: nothing to keep, nothing to lock, and no waiting for the other end of a line."""
    fd = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        os.set_blocking(fd, True)
        fill(fd)
    except OSError as error:
        error.filename = str(path)
        os.close(fd)
        raise
    return fd, path


def _hidden(path: Path, trace_id: str) -> Path:
    """Where a file is made before it gets its name. Windows renames no open file: there, at once."""
    return path if sys.platform == "win32" else path.with_name(f".{trace_id}.new")


def _new(hidden: Path, path: Path) -> int:
    try:
        return os.open(hidden, _NEW, 0o600)
    except OSError as error:
        error.filename = str(path)  # what people know of
        raise


def _ready(fd: int, fill: Fill, hidden: Path, path: Path) -> tuple[int, Path]:
    try:
        hold(fd)
        fill(fd)
        if hidden != path:
            os.replace(hidden, path)
    except OSError as error:
        error.filename = str(path)
        os.close(fd)
        hidden.unlink(missing_ok=True)
        raise
    return fd, path


def _keep(path: Path) -> None:
    number = 1
    while path.exists():
        kept = path.with_name(f"{path.stem}.{number}{path.suffix}")
        number += 1
        try:
            os.close(os.open(kept, os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            continue
        try:
            os.replace(path, kept)
        except FileNotFoundError:  # another recorder kept it just now
            kept.unlink(missing_ok=True)
