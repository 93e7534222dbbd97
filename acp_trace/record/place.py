"""Where a recorder puts its trace file, so that no reader ever sees half a header.

Into the spool: made under another name, locked, given its header, then renamed; so a file in the
spool is either locked by its recorder or its recorder is dead. With `--out`: that file alone.
Nothing is ever overwritten: a file in the way becomes `NAME.1.jsonl`, `NAME.2.jsonl` …
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from acp_trace.record.sink import hold
from acp_trace.trace.home import make_private
from acp_trace.trace.spool import SUFFIX

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_BINARY", 0)


def in_spool(spool: Path, trace_id: str, header: bytes) -> tuple[int, Path]:
    """A new file in the spool folder, which is made where it is missing. Raises OSError."""
    make_private(spool)
    path = spool / (trace_id + SUFFIX)
    hidden = _hidden(path, trace_id)
    hidden.unlink(missing_ok=True)
    fd = _new(hidden, path)
    return _ready(fd, header, hidden, path)


def in_file(path: Path, trace_id: str, header: bytes) -> tuple[int, Path]:
    """The file at `path`; one that is there already is kept under a number.

    An editor starts the same command again and again: the newest trace has the name that was asked
    for, and no earlier one is lost. Raises OSError.
    """
    if path.exists() and not path.is_file():  # a device or a pipe: nothing to keep
        return _ready(os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0)), header, path, path)
    _keep(path)
    hidden = _hidden(path, trace_id)
    fd = _new(hidden, path)
    return _ready(fd, header, hidden, path)


def _new(hidden: Path, path: Path) -> int:
    try:
        return os.open(hidden, _NEW, 0o600)
    except OSError as error:
        error.filename = str(path)  # what people know of
        raise


def _hidden(path: Path, trace_id: str) -> Path:
    """Where a file is made before it gets its name. Windows renames no open file: there, at once."""
    return path if sys.platform == "win32" else path.with_name(f".{trace_id}.new")


def _ready(fd: int, header: bytes, hidden: Path, path: Path) -> tuple[int, Path]:
    try:
        hold(fd)
        if os.write(fd, header) != len(header):
            raise OSError(28, os.strerror(28), str(path))
        if hidden != path:
            os.replace(hidden, path)
    except OSError as error:
        error.filename = str(path)
        os.close(fd)
        if hidden != path:
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
        os.replace(path, kept)
