"""Other people's SQL over the store: read-only, and shut in. DuckDB's own errors go through.

Two walls. Only one statement that reads is run (`statements`). And the connection is opened read-only with
access to files, extensions and settings switched off, by a name that leads nowhere (`connect.reading`), so
that a statement that got through could neither change a trace nor read or write a file beside the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from acp_trace.store import schema
from acp_trace.store.connect import reading
from acp_trace.store.interruptible import InterruptibleConnection
from acp_trace.store.statements import BadQuery, checked

__all__ = ["BadQuery", "QueryResult", "described", "query"]

_FETCH = 1000
_ZONED = "a time with a zone cannot be printed: cast it, as in (started_at::TIMESTAMPTZ)::VARCHAR"


@dataclass(slots=True)
class QueryResult:
    """Column names, rows as they are fetched, and the columns' SQL types: `BIGINT`, `DECIMAL(10,2)`."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]
    types: list[str]


@contextmanager
def query(store: Path, sql: str, stuck: Callable[[], None] | None = None) -> Iterator[QueryResult]:
    """Runs the SQL: one statement that reads. Raises BadQuery and StoreError.

    `stuck` is called where this is to end and DuckDB takes no notice: it may end the process.
    """
    with reading(store, apart=True) as connection, answered(connection, sql, stuck) as result:
        yield result


@contextmanager
def answered(
    connection: duckdb.DuckDBPyConnection, sql: str, stuck: Callable[[], None] | None = None
) -> Iterator[QueryResult]:
    """Runs the SQL on a connection that is shut in already, and whose settings stay from now on.

    Raises BadQuery; `stuck` as for `query`.
    """
    connection.execute("SET lock_configuration = true")
    with closing(InterruptibleConnection(connection, stuck)) as shared:
        try:
            columns = shared.execute(shared.do(lambda: checked(connection, sql)))
        except (duckdb.Error, RuntimeError) as error:
            raise _refused(error) from error
        yield QueryResult(columns, _rows(shared), shared.types)


def _rows(connection: InterruptibleConnection) -> Iterator[tuple[Any, ...]]:
    try:
        while page := connection.fetchmany(_FETCH):
            yield from page
    except (duckdb.Error, RuntimeError, OverflowError, ValueError) as error:
        raise _refused(error) from error


def _refused(error: Exception) -> BadQuery:
    """Raise DuckDB's errors as our own."""
    # For a TIMESTAMP WITH TIME ZONE, DuckDB 2.0.0 needs a library that nothing else here does.
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
