"""Rows of many traces on their way into the tables, and what is in a transaction with what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from acp_trace.store import collected_rows
from acp_trace.store.rows import Rows, delete

if TYPE_CHECKING:
    import duckdb


class RowsOfMany(Rows):
    """Rows of many traces on their way into the tables: of each trace all or none.

    To insert takes DuckDB a millisecond a table, however few the rows are, and a commit some more. So small
    traces wait for each other; a large one, and one that takes the place of another, has a transaction of its
    own. Before anything else is done with the connection, no trace may be open.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(connection)
        self._whole: dict[str, list[list[Any]]] = {}  #: columns of tables, with rows of complete traces
        self._whole_bytes = 0
        self._in_transaction = False
        self.waiting: set[str] = set()  #: the ids of the traces that are complete, and not yet written

    @contextmanager
    def of(self, trace_id: str, *, replaces: bool = False) -> Iterator[None]:
        """What is added inside is of this trace; if that raises, nothing of it was added.

        `replaces`: it takes the place of what the tables have of this trace.
        """
        self.trace_id = trace_id
        with self._or_nothing():
            if replaces:
                self.write()
                self._begin()
                delete(self.connection, [trace_id])
            yield
            if self._in_transaction:
                super().flush()
                self._commit()
                return
        self.waiting.add(trace_id)
        self._whole_bytes += self._bytes
        for name, columns in self._columns():
            whole = self._whole.setdefault(name, [[] for _ in columns])
            for column, more in zip(whole, columns, strict=True):
                column.extend(more)
        if self._whole_bytes >= collected_rows.BATCH_BYTES or any(
            len(ids) >= self._most for ids, *_ in self._whole.values()
        ):
            self.write()

    def flush(self) -> None:
        """Begins to write what waits of a trace that is too large to wait as a whole."""
        if not self._in_transaction:
            self.write()
            self._begin()
        super().flush()

    def write(self) -> None:
        """Writes and commits the traces that are complete: all of them or none."""
        whole, self._whole, self._whole_bytes = self._whole, {}, 0
        self.waiting.clear()
        if whole:
            with self._or_nothing():
                self._begin()
                for name, columns in whole.items():
                    self._insert(name, columns)
                self._commit()

    def _finish(self) -> None:
        self.write()

    def _begin(self) -> None:
        self.connection.execute("BEGIN")
        self._in_transaction = True

    def _commit(self) -> None:
        self.wait()
        self.connection.execute("COMMIT")
        self._in_transaction = False

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        """If an exception ends it, the open transaction is rolled back, and no rows wait."""
        try:
            yield
        except BaseException:
            self._forget()
            with suppress(Exception):
                self.wait()
            if self._in_transaction:
                self._in_transaction = False
                self.connection.execute("ROLLBACK")
            raise
