"""The spool: one file for each trace that is being written or is not yet imported.

A recorder writes `ID.capture`; `ID.jsonl`, which other programs may put there, is accepted as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from acp_trace.trace import lock
from acp_trace.trace.names import CAPTURE, LINES


@dataclass(frozen=True, slots=True)
class Spooled:
    """One trace file in the spool."""

    id: str
    path: Path
    live: bool  #: its recorder is alive


def spooled(spool: Path) -> list[Spooled]:
    """Return the files in the spool, oldest first. Links are not followed: only plain files count."""
    return [Spooled(path.stem, path, lock.held(path)) for path in _files(spool)]


def waiting(spool: Path) -> list[Path]:
    """Return the files that are no longer being recorded, oldest first."""
    return [path for path in _files(spool) if not lock.held(path)]


def _files(spool: Path) -> Iterator[Path]:
    try:
        names = sorted(
            entry.name
            for entry in os.scandir(spool)
            if entry.name.endswith((CAPTURE, LINES)) and entry.is_file(follow_symlinks=False)
        )
    except OSError:
        return
    for name in names:
        yield spool / name
