"""A trace file that is still being written, read on as it grows."""

from __future__ import annotations

from pathlib import Path

from acp_trace.trace import lock
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.files import open_trace
from acp_trace.trace.parse import Parser


class Tail:
    """Reads what is new. The file may be moved or removed meanwhile: it stays open."""

    def __init__(self, path: Path) -> None:
        self._parser = Parser()
        _, self._lines = open_trace(path)
        self.complete = False  #: the footer was read

    def new(self) -> list[Entry]:
        """The entries since the last call. Raises OSError and NewerFormat."""
        entries: list[Entry] = []
        while data := self._lines.read(1 << 20):
            entries += self._parser.feed(data)
        self.complete = self.complete or any(entry.kind is EntryKind.END for entry in entries)
        return entries

    def dead(self) -> bool:
        """Whether nobody writes any more. Ask before `new`, so that nothing is missed between."""
        if lock.is_held(self._lines.fileno()):
            return False
        self._lines.live = False  # what is unfinished stays so: the next `new` gives all there is
        return True

    def close(self) -> None:
        """Lets go of the file."""
        self._lines.close()
