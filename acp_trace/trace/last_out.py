"""The file that `record --out` wrote last: recorders note it in the home directory (`names.LAST_OUT`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from acp_trace.trace.home import Home
from acp_trace.trace.jsontext import object_in
from acp_trace.trace.names import LAST_OUT


class LastOut(NamedTuple):
    """A trace file that is not in the store. `started`: in the form of an id's beginning, for comparing."""

    file: Path
    started: str


def last_out(home: Home) -> LastOut | None:
    """Return the content of the note, if it exists and the file is still there, or None. Never raises."""
    try:
        note = object_in((home.path / LAST_OUT).read_bytes())
        file, started = note.get("file"), note.get("started")
        if isinstance(file, str) and isinstance(started, str) and Path(file).is_file():
            return LastOut(Path(file), started)
    except (OSError, ValueError):  # no note; a name with a NUL in it
        pass
    return None
