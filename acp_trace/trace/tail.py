"""A trace file that is still being written, read as it grows."""

from __future__ import annotations

from pathlib import Path

from acp_trace.trace import lock
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.files import open_trace
from acp_trace.trace.parse import Parser


class Tail:
    """Reads new entries. The file stays open, so it may be moved or removed meanwhile."""

    def __init__(self, path: Path) -> None:
        self._parser = Parser()
        _, self._lines = open_trace(path)
        self.complete = False  #: the footer was read

    def new(self) -> list[Entry]:
        """Return the entries since the last call. Raises OSError and NewerFormat."""
        entries: list[Entry] = []
        while data := self._lines.read(1 << 20):
            entries += self._parser.feed(data)
        self.complete = self.complete or any(entry.kind is EntryKind.END for entry in entries)
        return entries

    def dead(self) -> bool:
        """Whether the recorder has ended. Call this before `new`, so that no entry is missed."""
        if lock.is_held(self._lines.fileno()):
            return False
        self._lines.live = False  # the unfinished end stays so: the next `new` returns everything
        return True

    def close(self) -> None:
        """Close the file."""
        self._lines.close()
