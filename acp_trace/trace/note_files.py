"""Paths of the notes on a trace: made of our own path, or of a hash.

No text of a trace becomes a file name.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from acp_trace.trace.names import LINES

#: The suffix of these files, and the directory in the home for those of traces in the store.
NOTES, DIRECTORY = ".notes.json", "notes"
_DIGITS = 32


def notes_beside(path: Path) -> Path:
    """Return the file with the notes of a trace file: `NAME.notes.json` beside `NAME.jsonl`."""
    return path.with_name(f"{path.name.removesuffix(LINES)}{NOTES}")


def notes_at_home(home: Path, trace_id: str) -> Path:
    """Return the file with the notes of a trace in the store of a home directory."""
    digest = hashlib.sha256(trace_id.encode("utf-8", "surrogatepass")).hexdigest()
    return home / DIRECTORY / f"{digest[:_DIGITS]}{NOTES}"
