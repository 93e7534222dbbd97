"""Rows on their way into the tables, of one trace.

While a thread inserts some rows into DuckDB (`bulk_insert` says why), the next ones are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from acp_trace.store import schema
from acp_trace.store.bulk_insert import InsertColumn, insert
from acp_trace.store.collected_rows import CollectedRows
from acp_trace.store.interruptible import InterruptibleConnection
from acp_trace.store.table_rows import frame_columns

if TYPE_CHECKING:
    import duckdb

#: Of a table: the values of each of its columns.
_Columns = Sequence[Sequence[Any]]

_TABLES = {table.name: table for table in schema.TABLES}


class Rows(CollectedRows):
    """Rows of one trace on their way into the tables.

    All are written at the end of the block, unless it raises; the transaction around it is the caller's. In
    between, `wait` before anything else is done with the connection. Raises duckdb.Error.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, trace_id: str = "") -> None:
        super().__init__()
        self.trace_id = trace_id
        self.connection = connection
        self._thread = InterruptibleConnection(connection)
        self._is_inserting = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._thread.close()

    def flush(self) -> None:
        """Begins to write what waits."""
        for name, columns in self._columns():
            self._insert(name, columns)

    def wait(self) -> None:
        """Waits until all is written that was begun. Raises duckdb.Error."""
        if self._is_inserting:
            try:
                self._thread.finish()
            except Exception:  # of DuckDB; what a signal raises here does not end its work
                self._is_inserting = False
                raise
            self._is_inserting = False

    def _finish(self) -> None:
        """At the end of the block."""
        self.flush()
        self.wait()

    def _columns(self) -> Iterator[tuple[str, _Columns]]:
        """What waits, by table; then nothing does."""
        batch = self.taken()
        if batch.frames:
            ids = [self.trace_id] * len(batch.frames)
            yield schema.FRAMES.name, [ids, *frame_columns(batch.frames)]
        for name, rows in batch.others.items():
            yield name, [[self.trace_id] * len(rows), *zip(*rows, strict=True)]

    def _insert(self, name: str, columns: _Columns) -> None:
        """Begins to write some rows of a table, when those before are written."""
        typed = [
            InsertColumn(column.name, column.type, values)
            for column, values in zip(_TABLES[name].columns, columns, strict=True)
        ]
        self.wait()
        self._is_inserting = True
        self._thread.begin(lambda: insert(self.connection, name, typed))


def delete(connection: duckdb.DuckDBPyConnection, ids: list[str]) -> None:
    """Removes all rows of some traces. However many they are, each table is gone through once."""
    for table in schema.TABLES:
        wanted = "SELECT unnest(?::VARCHAR[])"
        connection.execute(f"DELETE FROM {table.name} WHERE trace_id IN ({wanted})", [ids])
