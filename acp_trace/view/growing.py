"""A live trace, read on as it grows: one pass over its file, however often the page asks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.frame import Frame
from acp_trace.report.page.parts import ShownTrace
from acp_trace.trace.entries import BETWEEN, Entry, EntryKind
from acp_trace.trace.tail import Tail


class GrowingTrace:
    """All of it so far. The file stays open, so that its end is read also when it was loaded and removed."""

    def __init__(self, path: Path) -> None:
        self._tail = Tail(path)
        self._analyzer = Analyzer()
        self._read: list[Frame | Entry] = []
        self._model: list[Entry] = []  #: the model's side, and what was lost
        self._seen = 0
        self.is_live = True

    def read_on(self) -> bool:
        """Read new entries. Return whether any came, or the trace ended. Raises OSError, NewerFormat."""
        if not self.is_live:
            return False
        is_dead = self._tail.dead()
        entries = self._tail.new()
        self._seen += len(entries)
        for entry in entries:
            frame = self._analyzer.feed(entry)
            if frame is not None:
                self._read.append(frame)
            elif entry.kind in BETWEEN:
                self._read.append(entry)
            if entry.kind in (EntryKind.MODEL, EntryKind.GAP):
                self._model.append(entry)
        self.is_live = not (is_dead or self._tail.complete)
        return bool(entries) or not self.is_live

    def shown(self, key: str) -> ShownTrace:
        """The trace as it is now: what comes later does not change it."""
        count, model_count = len(self._read), len(self._model)

        def read() -> Iterator[Frame | Entry]:
            return islice(self._read, count)

        def entries() -> Iterator[Entry]:
            return islice(self._model, model_count)

        facts = self._analyzer.facts(over=not self.is_live)
        return ShownTrace(key, facts, read, self.is_live, entries=entries, seen=self._seen)

    def close(self) -> None:
        """Lets go of the file."""
        self._tail.close()
