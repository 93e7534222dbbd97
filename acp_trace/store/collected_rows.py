"""Rows of one trace, collected until there are enough of them to go on together, wherever that is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.store import schema
from acp_trace.store.table_rows import fact_rows

#: The most waiting rows of a table, and the most waiting bytes of all tables. With five times as many rows,
#: their columns no longer fit into the processor's caches, and each row takes a third longer.
BATCH = 10_000
BATCH_BYTES = 16_000_000


class RowBatch(msgspec.Struct, array_like=True, gc=False):
    """Rows that go on together, without the id of their trace."""

    frames: list[Frame]
    others: dict[str, list[tuple[Any, ...]]]  #: rows of other tables, by its name
    bytes: int  #: of texts and bytes in all of them


class CollectedRows(ABC):
    """Rows of one trace on their way, in batches, so that Python holds few of them at once."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most or BATCH
        self._forget()

    @abstractmethod
    def flush(self) -> None:
        """Sends on what waits."""

    def add(self, table: schema.Table, row: tuple[Any, ...]) -> None:
        """Adds one row, without its trace id."""
        waiting = self._others.setdefault(table.name, [])
        waiting.append(row)
        self._bytes += sum(len(item) for item in row if isinstance(item, (str, bytes)))
        if self._bytes >= BATCH_BYTES or len(waiting) >= self._most:
            self.flush()

    def frame(self, frame: Frame) -> None:
        """Adds a row of `frames`."""
        self._frames.append(frame)
        self._bytes += frame.size
        if self._bytes >= BATCH_BYTES or len(self._frames) >= self._most:
            self.flush()

    def facts(self, trace_facts: facts.Facts) -> None:
        """Adds the rows of all facts of the trace."""
        for table in schema.FACTS:
            for row in fact_rows(table, trace_facts):
                self.add(table, row)

    def batch(self, batch: RowBatch) -> None:
        """Adds all rows of a batch."""
        self._frames += batch.frames
        longest = len(self._frames)
        for name, rows in batch.others.items():
            waiting = self._others.setdefault(name, [])
            waiting += rows
            longest = max(longest, len(waiting))
        self._bytes += batch.bytes
        if self._bytes >= BATCH_BYTES or longest >= self._most:
            self.flush()

    def taken(self) -> RowBatch:
        """What waits; then nothing does."""
        taken = RowBatch(self._frames, self._others, self._bytes)
        self._forget()
        return taken

    def _forget(self) -> None:
        """Forgets what waits."""
        self._frames: list[Frame] = []
        self._others: dict[str, list[tuple[Any, ...]]] = {}
        self._bytes = 0  #: of all waiting rows, in all tables
