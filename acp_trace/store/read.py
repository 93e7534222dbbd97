"""Rows -> facts and frames, the same shapes that the analyser gives for a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import duckdb

from acp_trace.analyze import facts
from acp_trace.analyze.analyzer import Frame
from acp_trace.protocol.message import Kind
from acp_trace.store import schema
from acp_trace.store.errors import TraceGone

#: Frames read in one go, and about how many bytes. Between two goes the store is closed, so that a
#: pager that nobody closes locks nobody out.
_PAGE = 20_000
_PAGE_BYTES = 16_000_000

_FIRST_PAGE = 1000
_IDENTITY = "SELECT sha256 FROM loads WHERE trace_id = ?"

#: How to get at the store for one go: `partial(reading, path)`, or a connection that is open anyway.
Opener = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


def trace_facts(connection: duckdb.DuckDBPyConnection, trace_id: str) -> facts.Facts:
    """All that is stored of one trace. Raises TraceGone where there is none."""
    rows = {table.name: _rows(connection, table, trace_id) for table in schema.FACTS}
    if not rows["traces"]:
        raise TraceGone(trace_id)
    return facts.Facts(rows.pop("traces")[0], **rows)


def damage(connection: duckdb.DuckDBPyConnection, trace_id: str) -> list[tuple[int, str]]:
    """The lines that could not be read: number and reason."""
    return connection.execute(
        "SELECT line, problem FROM damage WHERE trace_id = ? ORDER BY line", [trace_id]
    ).fetchall()


def frames(opened: Opener, trace_id: str) -> Iterator[Frame]:
    """The frames of one trace, in order. Raises TraceGone."""
    columns = "frame, t_ns, sender, kind, method, id, answers, session_id, update_kind, size, partial"
    last, size = 0, _FIRST_PAGE
    identity = None
    while True:
        with opened() as connection:
            now = connection.execute(_IDENTITY, [trace_id]).fetchone()
            page = connection.execute(
                f"SELECT {columns}, body, bytes FROM frames WHERE trace_id = ? "
                "AND frame BETWEEN ? AND ? ORDER BY frame",
                [trace_id, last + 1, last + size],
            ).fetchall()
        if now is None or (identity is not None and now != identity):
            raise TraceGone(trace_id)
        identity = now
        read = 0
        for row in page:
            frame = _frame(row)
            read += frame.size
            yield frame
        if len(page) < size:  # numbers have no holes
            return
        last += size
        size = max(min(_PAGE, size * _PAGE_BYTES // max(read, 1)), 1)


def _frame(row: tuple[Any, ...]) -> Frame:
    number, t, sender, kind, method, id_, answers, session, update, size, partial, text, raw = row
    data = raw if text is None else text.encode()
    return Frame(number, t, sender, Kind(kind), method, id_, answers, session, update, size, data, partial)


def _rows(connection: duckdb.DuckDBPyConnection, table: schema.Table, trace_id: str) -> list[Any]:
    fact = table.fact
    assert fact is not None
    columns = table.columns if fact is facts.Trace else table.columns[1:]
    found = connection.execute(
        f"SELECT {', '.join(column.name for column in columns)} FROM {table.name} "
        "WHERE trace_id = ? ORDER BY rowid",
        [trace_id],
    ).fetchall()
    return [fact(*row) for row in found]
