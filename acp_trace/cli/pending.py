"""Runs that may take their recordings' places: `NAME.jsonl.new` beside `NAME.jsonl`.

A replay that found differences leaves one, one that passed removes it; nothing of this happens in CI.
Only a whole run of that recording may take its place: whatever else stands there is refused.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from acp_trace.cli import outputs

SUFFIX = ".new"


class NotARun(Exception):
    """What stands beside a recording is not a run that could take its place. The message says why."""


def of(trace: Path) -> Path:
    """Where the pending run of a trace stands."""
    return trace.with_name(trace.name + SUFFIX)


def leave(trace: Path, raw: bytes) -> bool:
    """Leaves a run for review; whether that could be done."""
    try:
        put(of(trace), raw)
    except OSError:
        return False
    return True


def forget(trace: Path) -> None:
    """Removes the pending run of a trace, if there is one."""
    with contextlib.suppress(OSError):
        of(trace).unlink(missing_ok=True)


def accept(trace: Path) -> None:
    """Puts the pending run in the trace's place. Raises NotARun and OSError."""
    put(trace, checked(trace))
    forget(trace)


def checked(trace: Path) -> bytes:
    """The pending run of a trace: a whole run of this very recording. Raises NotARun and OSError."""
    from acp_trace.trace import jsontext
    from acp_trace.trace.entries import EntryKind
    from acp_trace.trace.parse import NewerFormat, Parser

    raw, parser = _read(of(trace)), Parser()
    try:
        entries = parser.feed(raw)
        last, torn = parser.finish()
    except NewerFormat as error:
        raise NotARun(str(error)) from None
    entries += [last] if last is not None else []
    if not entries or parser.header is None:
        raise NotARun("is not a trace")
    header = jsontext.value(entries[0].raw)
    if not header.get("replay_of"):
        raise NotARun("is not a run of a replay")
    if (
        torn
        or entries[-1].kind is not EntryKind.END
        or any(entry.kind is EntryKind.DAMAGED for entry in entries)
    ):
        raise NotARun("is not complete: the run did not end")
    recorded = outputs.header_of(trace)
    if recorded is not None and recorded.get("id") != header["replay_of"]:
        raise NotARun("is a run of another recording")
    return raw


def put(path: Path, raw: bytes) -> None:
    """Writes a trace whole or not at all, for its owner only. Raises OSError."""
    from acp_trace.trace import whole_files

    whole_files.put(path, [raw], private=True)


def found(places: list[Path]) -> Iterator[Path]:
    """The traces with something beside them that may be a run, of these files and in these directories."""
    for place in places:
        if place.is_dir():
            for path in sorted(place.rglob(f"*.jsonl{SUFFIX}")):
                yield path.with_name(path.name.removesuffix(SUFFIX))
        else:
            trace = place.with_name(place.name.removesuffix(SUFFIX))
            if os.path.lexists(of(trace)):
                yield trace


def _read(path: Path) -> bytes:
    """A plain file: no link is followed, and nobody waits for a pipe."""
    if stat.S_ISLNK(os.lstat(path).st_mode):
        raise NotARun("is a link")
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotARun("is not a file")
    with open(fd, "rb") as stream:
        return stream.read()
