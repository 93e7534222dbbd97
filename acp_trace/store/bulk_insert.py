"""Insert rows the fastest way that DuckDB has: column by column, in Arrow's memory, made by nanoarrow.

If rows are tuples, DuckDB converts each value, and all other threads of Python wait. If they are columns, a
few calls in C make one block of memory for each, which DuckDB reads as it is, while Python continues. Pythons
without a nanoarrow yet insert tuples: the rows are the same.

An exception that a signal raises in a call from DuckDB would be lost: insert in a thread other than the main
one, where Python raises none. This module does not know what a table means.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import duckdb


class InsertColumn(NamedTuple):
    """A column: its SQL type (BIGINT, BOOLEAN, VARCHAR or BLOB), and its values; None is NULL.

    The values of a VARCHAR are `str`, or `bytes` in UTF-8.
    """

    name: str
    type: str
    values: Sequence[Any]


def insert(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[InsertColumn]) -> None:
    """Inserts rows, at least one: all columns of the table, in its order. Raises duckdb.Error."""
    if _nanoarrow() is None:
        appender = connection.appender(table)
        appender.append_rows(list(zip(*map(_texts, columns), strict=True)))
        appender.flush()
    else:
        connection.from_arrow(_batch(columns)).insert_into(table)


@cache
def _nanoarrow() -> Any:
    """The library, or None; imported late, so that commands that only read the store do not wait for it."""
    try:
        import nanoarrow
    except ImportError:
        return None
    return nanoarrow


def _texts(column: InsertColumn) -> Sequence[Any]:
    """The values, with `str` alone in a VARCHAR."""
    if column.type != "VARCHAR":
        return column.values
    return [value.decode() if isinstance(value, bytes) else value for value in column.values]


def _batch(columns: Sequence[InsertColumn]) -> Any:
    nanoarrow = _nanoarrow()
    types = {  # ends of texts in 64 bits: none is too long
        "BIGINT": nanoarrow.int64(),
        "BOOLEAN": nanoarrow.bool_(),
        "VARCHAR": nanoarrow.large_string(),
        "BLOB": nanoarrow.large_binary(),
    }
    arrays = [_array(column, types[column.type]) for column in columns]
    named = nanoarrow.struct({column.name: types[column.type] for column in columns})
    return _of_buffers(named, len(columns[0].values), [None], children=arrays, move=True)


def _array(column: InsertColumn, kind: Any) -> Any:
    values = column.values
    if isinstance(values[0], bytes) and None not in values:  # in half the time that one by one takes
        ends = array("q", accumulate(map(len, values), initial=0))
        return _of_buffers(kind, len(values), [None, ends, b"".join(values)])
    if column.type == "BIGINT" and values[0] is not None:
        with suppress(TypeError):  # of a NULL that comes later
            return _of_buffers(kind, len(values), [None, array("q", values)])
    return _nanoarrow().c_array(_texts(column), kind)


def _of_buffers(kind: Any, length: int, buffers: Sequence[Any], **more: Any) -> Any:
    """An array without NULL whose memory was made here, so it fits."""
    return _nanoarrow().c_array_from_buffers(
        kind, length, buffers, null_count=0, validation_level="none", **more
    )
