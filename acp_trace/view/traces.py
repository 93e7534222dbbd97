"""The available traces, each under a number that this server gave it.

A path contains that number: no id, no name, no file, nothing that a trace says about itself.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from acp_trace.analyze.peers import agent_shown, client_shown
from acp_trace.report.json.trace_list import as_json
from acp_trace.store.catalog import UnknownTrace, named, resolve
from acp_trace.store.errors import StoreError
from acp_trace.store.listings import listings
from acp_trace.store.sources import FileSource, Source
from acp_trace.store.sweep import sweep
from acp_trace.trace import spool
from acp_trace.trace.home import Home
from acp_trace.trace.note_files import notes_at_home, notes_beside
from acp_trace.view.given import GivenTraces
from acp_trace.view.notes import Notes
from acp_trace.view.store_access import StoreAccess


class _Name(NamedTuple):
    """What a trace was named by: an id, or a file. An id that looks like a file is still an id."""

    text: str
    is_file: bool = False


class Traces:
    """All traces of a home, and files that were named."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._names: list[_Name] = []
        self._numbers: dict[_Name, int] = {}
        self._lock = threading.Lock()
        self.store = StoreAccess()
        self._listing = threading.Lock()
        self._listed_at: list[tuple[str, int, int]] | None = None
        self._rows: list[dict[str, Any]] = []
        self._given = GivenTraces()
        self._notes = Notes()

    def take(self, data: bytes) -> int:
        """Return the number of a trace or a log that was given. Raises NotTaken and OSError."""
        return self._number(_Name(str(self._given.take(data)), is_file=True))

    def notes(self, number: int) -> dict[str, str]:
        """Return the notes on the frames of a trace. Raises UnknownTrace."""
        return self._notes.read(self._notes_of(number))

    def note(self, number: int, data: bytes) -> dict[str, str]:
        """Take in a note on a frame; all notes of the trace. Raises UnknownTrace, BadNote and OSError."""
        return self._notes.change(self._notes_of(number), data)

    def _notes_of(self, number: int) -> Path:
        name = self._named(number)
        path = Path(name.text)
        return notes_beside(path) if name.is_file else notes_at_home(self._home.path, name.text)

    def _named(self, number: int) -> _Name:
        with self._lock:
            if not 0 < number <= len(self._names):
                raise UnknownTrace("there is no such trace", [])
            return self._names[number - 1]

    def number_of(self, source: Source) -> int:
        """The number of a trace that was opened. A file in the spool has its id: it will be loaded.

        Raises Unreadable, NewerFormat and OSError for a file that cannot be read at all.
        """
        if not isinstance(source, FileSource):
            return self._number(_Name(source.name))
        source.check_beginning()  # so that no address leads to no trace
        path = source.path.absolute()
        is_spooled = path.parent == self._home.spool.absolute()
        return self._number(_Name(path.stem) if is_spooled else _Name(str(path), is_file=True))

    def open(self, number: int) -> Source:
        """Opens a trace. Raises UnknownTrace, and like `resolve`."""
        name = self._named(number)
        if name.is_file and self._given.has(Path(name.text)):
            return FileSource(name.text)
        with self.store.reading():
            return resolve(self._home, name.text) if name.is_file else named(self._home, name.text)

    def listed(self) -> list[dict[str, Any]]:
        """The rows of `ls --json`, newest first, each with its `number`. Raises StoreError.

        `agent_shown` and `client_shown` are the names that people see.
        """
        if self._listed_at is not None and self.store.is_loading:  # which may take long
            return self._rows
        waiting = spool.waiting(self._home.spool)  # before it is listed: while it is loaded, the list has it
        with self._listing, self.store.reading():
            if (state := self._state()) != self._listed_at:
                listed = listings(self._home)
                self._rows = [
                    {
                        **row,
                        "number": self._number(_Name(row["id"])),
                        "agent_shown": agent_shown(of.trace),
                        "client_shown": client_shown(of.trace),
                    }
                    for of, row in zip(listed, as_json(listed), strict=True)
                ]
                self._listed_at = state
            rows = self._rows
        if waiting:
            threading.Thread(target=self._load, daemon=True).start()
        return rows

    def _load(self) -> None:
        """Load what waits in the spool, unless the store is being read: the next list has it from there."""
        with self.store.loading() as is_free, suppress(StoreError):
            if is_free:
                sweep(self._home, patience=0)

    def _state(self) -> list[tuple[str, int, int]]:
        """What changes when there is another trace, or more of one: the files with their times and sizes."""
        state = []
        for directory in (self._home.path, self._home.spool):
            with suppress(OSError), os.scandir(directory) as entries:
                for entry in entries:
                    with suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        state.append((entry.path, status.st_mtime_ns, status.st_size))
        return sorted(state)

    def _number(self, name: _Name) -> int:
        with self._lock:
            if name not in self._numbers:
                self._names.append(name)
                self._numbers[name] = len(self._names)
            return self._numbers[name]
