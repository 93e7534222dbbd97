"""The spool: one `<id>.jsonl` for each trace that is being written or waits to be loaded."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_trace.trace import lock

SUFFIX = ".jsonl"


def new_id() -> str:
    """An id for a trace: its second in UTC, then six hex digits. Ids sort by time."""
    return time.strftime("%Y%m%dT%H%M%SZ-", time.gmtime()) + os.urandom(3).hex()


@dataclass(frozen=True, slots=True)
class Spooled:
    """One trace file in the spool."""

    id: str
    path: Path
    live: bool  #: its recorder is alive


def spooled(spool: Path) -> list[Spooled]:
    """What lies in the spool, oldest first. Links are not followed: only plain files count."""
    return [Spooled(path.name.removesuffix(SUFFIX), path, lock.held(path)) for path in _files(spool)]


def waiting(spool: Path) -> list[Path]:
    """The files that no recorder writes to any more, oldest first."""
    return [path for path in _files(spool) if not lock.held(path)]


def _files(spool: Path) -> Iterator[Path]:
    try:
        found = sorted(
            entry.name
            for entry in os.scandir(spool)
            if entry.name.endswith(SUFFIX) and entry.is_file(follow_symlinks=False)
        )
    except OSError:
        return
    for name in found:
        yield spool / name
