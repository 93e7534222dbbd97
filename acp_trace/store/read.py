"""Rows -> facts and frames, the same shapes that the analyser gives for a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.store import schema
from acp_trace.store.errors import TraceGone

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")

#: The most that is read in one go, in rows and in bytes (or one row). Between two goes the store is closed,
#: so that a pager that stays open locks out no other process.
_PAGE = 20_000
_PAGE_BYTES = 16_000_000
#: In the first go fewer, so that something is there soon.
_FIRST_PAGE = 1000

_IDENTITY = "SELECT sha256 FROM loads WHERE trace_id = ?"

#: How to get at the store for one go: `partial(reading, path)`, or a connection that is open anyway.
Opener = Callable[[], "AbstractContextManager[duckdb.DuckDBPyConnection]"]


def unchanged(opened: Opener, trace_id: str) -> Opener:
    """Opens like `opened`, but raises TraceGone unless the trace is there, and the same each time."""
    identity: tuple[Any, ...] | None = None

    @contextmanager
    def checked() -> Iterator[duckdb.DuckDBPyConnection]:
        nonlocal identity
        with opened() as connection:
            now = connection.execute(_IDENTITY, [trace_id]).fetchone()
            if now is None or identity not in (None, now):
                raise TraceGone(trace_id)
            identity = now
            yield connection

    return checked


def traces(connection: duckdb.DuckDBPyConnection) -> list[facts.Trace]:
    """The row of every trace, in no order."""
    (table,) = (table for table in schema.FACTS if table.fact is facts.Trace)
    return facts_of(facts.Trace, connection.execute(f"SELECT {table.names} FROM {table.name}").fetchall())


def trace_facts(
    connection: duckdb.DuckDBPyConnection, trace_id: str, without: Collection[str] = ()
) -> facts.Facts:
    """All that is stored of one trace, except these lists. Raises TraceGone if it is not stored."""
    tables = [table for table in schema.FACTS if table.name not in without]
    rows = {table.name: _rows(connection, table, trace_id) for table in tables}
    if not rows["traces"]:
        raise TraceGone(trace_id)
    return facts.Facts(rows.pop("traces")[0], **rows)


#: The columns with JSON that reports look into, and the content of each.
_JSON: dict[str, tuple[tuple[str, Any], ...]] = {
    "trace": (("agent_argv", list[str]), ("labels", dict[str, str])),
    "sessions": (("usage", dict[str, Any]), ("config", dict[str, Any])),
}


def is_sound(stored: facts.Facts) -> bool:
    """Whether the JSON in stored facts is what the analyser wrote: another program may have changed a row."""
    for name, columns in _JSON.items():
        rows = [stored.trace] if name == "trace" else getattr(stored, name)
        for row in rows:
            for column, shape in columns:
                text = getattr(row, column)
                if text is not None and decoded(text, shape) is None:
                    return False
    return True


def decoded(text: str | None, shape: type[T]) -> T | None:
    """The JSON in a column; None if it is not of this shape."""
    try:
        return msgspec.json.decode(text or "", type=shape)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def damage(connection: duckdb.DuckDBPyConnection, trace_id: str) -> list[tuple[int, str]]:
    """The lines that could not be read: number and reason."""
    return connection.execute(
        "SELECT line, problem FROM damage WHERE trace_id = ? ORDER BY line", [trace_id]
    ).fetchall()


def logs(connection: duckdb.DuckDBPyConnection, trace_id: str) -> list[tuple[int, str]]:
    """What the agent wrote to stderr: ns since the trace began, and the line."""
    return connection.execute(
        "SELECT t_ns, text FROM logs WHERE trace_id = ? ORDER BY line", [trace_id]
    ).fetchall()


def session_names(connection: duckdb.DuckDBPyConnection, trace_id: str) -> dict[str, str]:
    """What reports call the sessions of a trace, by their ids."""
    return dict(
        connection.execute("SELECT session_id, name FROM sessions WHERE trace_id = ?", [trace_id]).fetchall()
    )


def frames(opened: Opener, trace_id: str) -> Iterator[Frame]:
    """The frames of one trace, in order. Raises TraceGone."""
    columns = (
        "frame, t_ns, sender, kind, method, id, answers, session_id, update_kind, size, partial, body, "
        "bytes, stream"
    )
    return map(_frame, _paged(unchanged(opened, trace_id), trace_id, "frames", "frame", "size", columns))


def lines(opened: Opener, trace_id: str) -> Iterator[tuple[int, str, bytes]]:
    """The lines of the trace file that are kept beside the frames: number, kind, bytes. Raises TraceGone."""
    columns, size = "line, kind, raw", "octet_length(raw)"
    return _paged(unchanged(opened, trace_id), trace_id, "lines", "line", size, columns)


def _paged(
    opened: Opener, trace_id: str, table: str, number: str, size: str, columns: str
) -> Iterator[tuple[Any, ...]]:
    """The rows of a trace by their numbers; how large they are is asked first, so that a page is small."""
    last, most = 0, _FIRST_PAGE
    while True:
        with opened() as connection:
            sizes = connection.execute(
                f"SELECT {number}, {size} FROM {table} WHERE trace_id = ? AND {number} > ? "
                f"ORDER BY {number} LIMIT ?",
                [trace_id, last, most],
            ).fetchall()
            if not sizes:
                return
            first, last = last + 1, _fitting(sizes)
            page = connection.execute(
                f"SELECT {columns} FROM {table} WHERE trace_id = ? AND {number} BETWEEN ? AND ? "
                f"ORDER BY {number}",
                [trace_id, first, last],
            ).fetchall()
        yield from page
        if len(sizes) < most and last == sizes[-1][0]:
            return  # none is left, and to open the store takes longer than to read a page
        most = _PAGE


def _fitting(sizes: Sequence[tuple[int, int]]) -> int:
    """The number of the last row that fits into a page with those before it; at least the first."""
    (last, total), *others = sizes
    for number, size in others:
        total += size
        if total > _PAGE_BYTES:
            break
        last = number
    return last


def _frame(row: tuple[Any, ...]) -> Frame:
    number, t, sender, kind, method, id_, answers, session, update, size, partial, text, raw, stream = row
    data = raw if text is None else text.encode()
    return Frame(
        number,
        t,
        sender,
        MessageKind(kind),
        method,
        id_,
        answers,
        session,
        update,
        size,
        data,
        partial,
        stream,
    )


def _rows(connection: duckdb.DuckDBPyConnection, table: schema.Table, trace_id: str) -> list[Any]:
    fact = table.fact
    assert fact is not None
    columns = table.columns if fact is facts.Trace else table.columns[1:]
    rows = connection.execute(
        f"SELECT {', '.join(column.name for column in columns)} FROM {table.name} "
        "WHERE trace_id = ? ORDER BY rowid",
        [trace_id],
    ).fetchall()
    return facts_of(fact, rows)


def facts_of(fact: type[T], rows: Iterable[tuple[Any, ...]]) -> list[T]:
    """Rows of the table of a class of `facts`, as objects of it: its fields are the columns, in order."""
    shape: Any = fact
    names = [field.name for field in fields(shape)]
    return [fact(**dict(zip(names, row, strict=True))) for row in rows]
