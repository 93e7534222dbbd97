"""Rows on their way into the tables: what a frame and a fact look like there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind, id_type
from acp_trace.store import schema

if TYPE_CHECKING:
    import duckdb

#: How many rows of a table, and how many bytes of all tables together, wait at most.
_BATCH = 50_000
_BATCH_BYTES = 16_000_000


class Rows:
    """Rows on their way into the tables, in batches, so that Python holds few of them at once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, trace_id: str) -> None:
        self._connection = connection
        self.trace_id = trace_id
        self._waiting: dict[str, list[tuple[Any, ...]]] = {}
        self._bytes = 0  #: of all that waits, in whatever table

    def add(self, table: schema.Table, row: tuple[Any, ...]) -> None:
        """Adds one row, without its trace id."""
        self._add(table, row, sum(len(item) for item in row if isinstance(item, (str, bytes))))

    def frame(self, frame: Frame) -> None:
        """Adds a row of `frames`."""
        self._add(schema.FRAMES, frame_row(frame), frame.size)

    def facts(self, trace_facts: facts.Facts) -> None:
        """Adds the rows of all facts of the trace."""
        for table in schema.FACTS:
            for row in fact_rows(table, trace_facts):
                self.add(table, row)

    def flush(self) -> None:
        """Writes what still waits."""
        for name in list(self._waiting):
            self._append(name)
        self._bytes = 0

    def _add(self, table: schema.Table, row: tuple[Any, ...], size: int) -> None:
        waiting = self._waiting.setdefault(table.name, [])
        waiting.append((self.trace_id, *row))
        self._bytes += size
        if self._bytes >= _BATCH_BYTES or len(waiting) >= _BATCH:
            self.flush()

    def _append(self, name: str) -> None:
        _append(self._connection, name, self._waiting.pop(name))


class RowsOfMany(Rows):
    """Rows of many traces on their way into the tables: of each trace all or none.

    To append takes DuckDB a millisecond a table, however few the rows are. So those of small traces wait for
    each other; a large trace has a transaction of its own.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(connection, "")
        self._whole: dict[str, list[tuple[Any, ...]]] = {}  #: rows of traces that are complete
        self._whole_bytes = 0
        self._in_transaction = False

    @contextmanager
    def of(self, trace_id: str) -> Iterator[None]:
        """What is added inside is of this trace; if that raises, nothing of it was added."""
        self.trace_id = trace_id
        try:
            yield
        except BaseException:
            self._waiting.clear()
            self._bytes = 0
            if self._in_transaction:
                self._connection.execute("ROLLBACK")
                self._in_transaction = False
            raise
        if self._in_transaction:
            super().flush()
            self._connection.execute("COMMIT")
            self._in_transaction = False
            return
        for name, rows in self._waiting.items():
            self._whole.setdefault(name, []).extend(rows)
        self._whole_bytes += self._bytes
        self._waiting.clear()
        self._bytes = 0
        if self._whole_bytes >= _BATCH_BYTES or any(len(rows) >= _BATCH for rows in self._whole.values()):
            self.write()

    def flush(self) -> None:
        """Writes what waits of a trace that is too large to wait as a whole."""
        if not self._in_transaction:
            self.write()
            self._connection.execute("BEGIN")
            self._in_transaction = True
        super().flush()

    def write(self) -> None:
        """Writes the traces that are complete."""
        for name, rows in self._whole.items():
            _append(self._connection, name, rows)
        self._whole.clear()
        self._whole_bytes = 0


def _append(connection: duckdb.DuckDBPyConnection, name: str, rows: list[tuple[Any, ...]]) -> None:
    appender = connection.appender(name)
    appender.append_rows(rows)
    appender.flush()


def frame_row(frame: Frame) -> tuple[Any, ...]:
    """A row of `frames`, without its trace id."""
    text, raw = (None, frame.data) if frame.kind is MessageKind.BYTES else (frame.data.decode(), None)
    return (
        frame.frame,
        frame.t_ns,
        frame.sender,
        frame.kind,
        frame.method,
        frame.id,
        id_type(frame.id),
        frame.answers,
        frame.session_id,
        frame.update,
        frame.size,
        frame.partial,
        text,
        raw,
        frame.stream,
    )


def fact_rows(table: schema.Table, trace_facts: facts.Facts) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of facts, without their trace id."""
    rows: Sequence[Any] = (
        [trace_facts.trace] if table.fact is facts.Trace else getattr(trace_facts, table.name)
    )
    columns = [column.name for column in table.columns if column.name != "trace_id"]
    for fact in rows:
        yield tuple(getattr(fact, name) for name in columns)
