"""Other people's SQL over the store: read-only, and shut in. DuckDB's own errors go through.

The connection is opened read-only with access to files, extensions and settings switched off, so a
query can neither change a trace nor read or write a file beside the store.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import duckdb

from acp_trace.store import schema
from acp_trace.store.connect import reading

_FETCH = 1000
_LOOK_S = 0.1
_ZONED = "a time with a zone cannot be printed: cast it, as in (started_at::TIMESTAMPTZ)::VARCHAR"


class BadQuery(Exception):
    """DuckDB refuses the query. The message is DuckDB's, with the place marked."""


@dataclass(slots=True)
class Result:
    """Column names, and rows as they are fetched."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def query(store: Path, sql: str) -> Iterator[Result]:
    """Runs the SQL; only its last statement gives a result. Raises BadQuery and StoreError."""
    with reading(store) as connection:
        connection.execute("SET lock_configuration = true")
        shared = _Interruptible(connection)
        try:
            try:
                columns = shared.execute(sql)
            except (duckdb.Error, RuntimeError) as error:
                raise _refused(error) from None
            yield Result(columns, _rows(shared))
        finally:
            shared.close()


def _rows(connection: _Interruptible) -> Iterator[tuple[Any, ...]]:
    try:
        while page := connection.fetchmany(_FETCH):
            yield from page
    except (duckdb.Error, RuntimeError, OverflowError, ValueError) as error:
        raise _refused(error) from None


class _Interruptible:
    """A connection whose work is done in a thread, so that Ctrl-C ends it at once.

    DuckDB looks for signals only now and then, and Python does not look while DuckDB works. The thread
    must be gone before the connection is closed, and before the process ends: `close` sees to that.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._asked: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, Exception | None]] = SimpleQueue()
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def execute(self, sql: str) -> list[str]:
        """Runs the SQL; the columns of its result."""
        self._do(lambda: self._connection.execute(sql))
        return [column[0] for column in self._connection.description or ()]

    def fetchmany(self, most: int) -> list[tuple[Any, ...]]:
        """The next rows; none at the end."""
        rows: list[tuple[Any, ...]] = self._do(lambda: self._connection.fetchmany(most))
        return rows

    def close(self) -> None:
        """Ends the thread, and what it does."""
        self._asked.put(None)
        while not self._ended.is_set():
            try:
                self._connection.interrupt()  # again and again: before the work began it has no effect
                self._ended.wait(_LOOK_S)
            except BaseException as error:
                if isinstance(error, Exception):
                    raise
                continue  # Ctrl-C, or another signal that ends the command: that is what we are about

    def _do(self, work: Callable[[], Any]) -> Any:
        self._asked.put(work)
        while True:
            try:
                found, error = self._answers.get(timeout=_LOOK_S)  # Windows sees no Ctrl-C without an end
            except Empty:
                continue
            if error is not None:
                raise error
            return found

    def _run(self) -> None:
        while (work := self._asked.get()) is not None:
            try:
                self._answers.put((work(), None))
            except Exception as error:
                self._answers.put((None, error))
        self._ended.set()


def _refused(error: Exception) -> BadQuery:
    """What DuckDB says, as our own."""
    # A TIMESTAMP WITH TIME ZONE needs a library that nothing else here does.
    return BadQuery(_ZONED if "'pytz'" in str(error) else str(error))


def described() -> list[dict[str, Any]]:
    """The tables and views with their columns, for people and programs."""
    made: list[dict[str, Any]] = []
    for kind, things in (("table", schema.TABLES), ("view", schema.VIEWS)):
        made += [
            {
                "name": thing.name,
                "kind": kind,
                "doc": thing.doc,
                "columns": [
                    {"name": column.name, "type": column.type, "doc": column.doc} for column in thing.columns
                ],
            }
            for thing in things
        ]
    return made
