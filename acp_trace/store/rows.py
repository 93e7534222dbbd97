"""Rows on their way into the tables: what a frame and a fact look like there.

While DuckDB takes in some rows, in a thread (`bulk_insert` says why), the next ones are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind, id_type
from acp_trace.store import schema
from acp_trace.store.bulk_insert import InsertColumn, insert
from acp_trace.store.interruptible import InterruptibleConnection

if TYPE_CHECKING:
    import duckdb

#: How many rows of a table, and how many bytes of all tables together, wait at most. With five times as many
#: rows, what is made of them is no longer in the processor's caches, and each row takes a third longer.
BATCH = 10_000
BATCH_BYTES = 16_000_000

#: Of a table: the values of each of its columns.
_Columns = Sequence[Sequence[Any]]

_NOT_TEXT = MessageKind.BYTES
_TABLES = {table.name: table for table in schema.TABLES}


class Rows:
    """Rows of one trace on their way into the tables, in batches, so that Python holds few of them at once.

    All are written at the end of the block, unless it raises; the transaction around it is the caller's. In
    between, `wait` before anything else is done with the connection. Raises duckdb.Error.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, trace_id: str = "") -> None:
        self.trace_id = trace_id
        self.connection = connection
        self._thread = InterruptibleConnection(connection)
        self._is_inserting = False
        self._forget()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._thread.close()

    def add(self, table: schema.Table, row: tuple[Any, ...]) -> None:
        """Adds one row, without its trace id."""
        waiting = self._others.setdefault(table.name, [])
        waiting.append(row)
        self._bytes += sum(len(item) for item in row if isinstance(item, (str, bytes)))
        if self._bytes >= BATCH_BYTES or len(waiting) >= BATCH:
            self.flush()

    def frame(self, frame: Frame) -> None:
        """Adds a row of `frames`."""
        self._frames.append(frame)
        self._bytes += frame.size
        if self._bytes >= BATCH_BYTES or len(self._frames) >= BATCH:
            self.flush()

    def facts(self, trace_facts: facts.Facts) -> None:
        """Adds the rows of all facts of the trace."""
        for table in schema.FACTS:
            for row in fact_rows(table, trace_facts):
                self.add(table, row)

    def flush(self) -> None:
        """Begins to write what waits."""
        for name, columns in self._taken():
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

    def _forget(self) -> None:
        """Forgets what waits."""
        self._frames: list[Frame] = []
        self._others: dict[str, list[tuple[Any, ...]]] = {}
        self._bytes = 0  #: of all that waits, in whatever table

    def _taken(self) -> Iterator[tuple[str, _Columns]]:
        """What waits, by table; then nothing does."""
        frames, others = self._frames, self._others
        self._forget()
        if frames:
            yield schema.FRAMES.name, [[self.trace_id] * len(frames), *frame_columns(frames)]
        for name, rows in others.items():
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


def frame_columns(frames: Sequence[Frame]) -> list[Sequence[Any]]:
    """The columns of `frames`, without the trace id; `body` as the bytes of its text."""
    ids, kinds, data = [f.id for f in frames], [f.kind for f in frames], [f.data for f in frames]
    types = {id_: id_type(id_) for id_ in set(ids)}
    texts: list[bytes | None] = [*data]
    raw: list[bytes | None] = [None] * len(data)
    if _NOT_TEXT in kinds:
        for at, kind in enumerate(kinds):
            if kind is _NOT_TEXT:
                texts[at], raw[at] = None, data[at]
    return [
        [f.frame for f in frames],
        [f.t_ns for f in frames],
        [f.sender for f in frames],
        kinds,
        [f.method for f in frames],
        ids,
        [types[id_] for id_ in ids],
        [f.answers for f in frames],
        [f.session_id for f in frames],
        [f.update for f in frames],
        [f.size for f in frames],
        [f.partial for f in frames],
        texts,
        raw,
        [f.stream for f in frames],
    ]


def fact_rows(table: schema.Table, trace_facts: facts.Facts) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of facts, without their trace id."""
    rows: Sequence[Any] = (
        [trace_facts.trace] if table.fact is facts.Trace else getattr(trace_facts, table.name)
    )
    columns = [column.name for column in table.columns if column.name != "trace_id"]
    for fact in rows:
        yield tuple(getattr(fact, name) for name in columns)
