"""The facts and frames of one trace as tables, with the columns that they have in the store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_trace.api.data_table import DataTable
from acp_trace.store import schema
from acp_trace.store.rows import fact_rows, frame_row
from acp_trace.store.sources import Source
from acp_trace.trace import near_misses

_TABLES = {table.name: table for table in (*schema.FACTS, schema.FRAMES)}


def table_of(source: Source, name: str) -> DataTable:
    """One table of a trace. Raises ValueError for a name that is none, and like `Source.facts`."""
    if (table := _TABLES.get(name)) is None:
        hint = near_misses.suggestion(name, _TABLES) or f"; there are {', '.join(_TABLES)}"
        raise ValueError(f"there is no table {name!r} of a trace{hint}")
    columns = [column for column in table.columns if column.name != "trace_id"]
    rows: Iterable[tuple[Any, ...]]
    if table is schema.FRAMES:
        rows = map(frame_row, source.frames())
    else:
        rows = fact_rows(table, source.facts())
    names, types = [column.name for column in columns], [column.type for column in columns]
    return DataTable(tuple(names), tuple(types), tuple(map(_plain, rows)))


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Members of enumerations as their text, which is what the store has."""
    return tuple(str(item) if isinstance(item, str) and type(item) is not str else item for item in row)
