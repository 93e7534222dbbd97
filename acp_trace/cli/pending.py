"""Live runs that may take their recordings' places: `NAME.jsonl.new` beside `NAME.jsonl`.

A replay that found differences leaves one, one that passed removes it; nothing of this happens in CI.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

SUFFIX = ".new"


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
    """Removes the pending run of a trace, where there is one."""
    with contextlib.suppress(OSError):
        of(trace).unlink(missing_ok=True)


def accept(trace: Path) -> None:
    """Puts the pending run in the trace's place. Raises OSError."""
    os.replace(of(trace), trace)


def put(path: Path, raw: bytes) -> None:
    """Writes a file whole or not at all. Raises OSError."""
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(fd, "wb") as file:
            file.write(raw)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def found(places: list[Path]) -> Iterator[Path]:
    """The traces with a pending run, of these files and in these folders and below."""
    for place in places:
        if place.is_dir():
            for path in sorted(place.rglob(f"*.jsonl{SUFFIX}")):
                yield path.with_name(path.name.removesuffix(SUFFIX))
        else:
            trace = place.with_name(place.name.removesuffix(SUFFIX))
            if of(trace).is_file():
                yield trace
