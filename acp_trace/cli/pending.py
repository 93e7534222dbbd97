"""Runs that may take their recordings' places: `NAME.jsonl.new` beside `NAME.jsonl`.

A replay that found differences leaves one, one that passed removes it; nothing of this happens in CI.
Only a whole run of that recording may take its place: any other file there is refused.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from acp_trace.cli import outputs

SUFFIX = ".new"
#: More bytes than a run has: they are read at once.
_LARGEST = 1 << 30


class NotARun(Exception):
    """The file beside a recording is not a run that could take its place. The message says why."""


def of(trace: Path) -> Path:
    """The path of a trace's pending run."""
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


def accept(trace: Path, shown: str) -> None:
    """Puts the pending run in the trace's place. Raises NotARun and OSError.

    `shown`: the digest of the run that was shown. Another replay may have left another run since.
    """
    raw = checked(trace)
    if digest(raw) != shown:
        raise NotARun("was changed while it was shown")
    put(trace, raw)
    forget(trace)


def digest(raw: bytes) -> str:
    """Return what tells a run from any other."""
    import hashlib  # OpenSSL: 4 MB in the recorder, which imports this module

    return hashlib.sha256(raw).hexdigest()


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
    if os.path.lexists(trace):
        recorded = outputs.header_of(trace)
        if recorded is None:
            raise NotARun(f"would replace {trace.name}, which is not a trace")
        if recorded.get("id") != header["replay_of"]:
            raise NotARun("is a run of another recording")
    return raw


def put(path: Path, raw: bytes) -> None:
    """Writes a trace whole or not at all, for its owner only; waits for no pipe. Raises OSError."""
    from acp_trace.trace import whole_files

    whole_files.put(path, [raw], private=True, special=False)


def found(places: list[Path]) -> Iterator[Path]:
    """The traces with something beside them that may be a run, of these files and in these directories."""
    from acp_trace.trace import tree

    for place in places:
        if place.is_dir():
            runs = [
                Path(here, name)
                for here, below, files in tree.walk(str(place))
                for name in (*below, *files)
                if name.endswith(f".jsonl{SUFFIX}")
            ]
            yield from (path.with_name(path.name.removesuffix(SUFFIX)) for path in sorted(runs))
        else:
            trace = place.with_name(place.name.removesuffix(SUFFIX))
            if os.path.lexists(of(trace)):
                yield trace


def _read(path: Path) -> bytes:
    """Open a plain file: no link is followed, and a pipe is not waited for."""
    if stat.S_ISLNK(os.lstat(path).st_mode):
        raise NotARun("is a link")
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise NotARun("is not a file")
    with open(fd, "rb") as stream:
        if status.st_size > _LARGEST:
            raise NotARun("is larger than 1 GB")
        return stream.read(_LARGEST)
