"""Where `record --out` wrote last: the note that recorders leave in the home directory (`names.LAST_OUT`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from acp_trace.trace.home import Home
from acp_trace.trace.jsontext import object_in
from acp_trace.trace.names import LAST_OUT


class LastOut(NamedTuple):
    """A trace file that is not in the store. `started`: as ids begin, so that they can be compared."""

    file: Path
    started: str


def last_out(home: Home) -> LastOut | None:
    """What the note says, if there is one and the file is still there. Never raises."""
    try:
        note = object_in((home.path / LAST_OUT).read_bytes())
        file, started = note.get("file"), note.get("started")
        if isinstance(file, str) and isinstance(started, str) and Path(file).is_file():
            return LastOut(Path(file), started)
    except (OSError, ValueError):  # no note; a name with a NUL in it
        pass
    return None
