"""The facts and frames of one trace as tables, with the columns that they have in the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from acp_trace.api.data_table import DataTable
from acp_trace.store import schema
from acp_trace.store.sources import Source
from acp_trace.store.table_rows import fact_rows, frame_columns
from acp_trace.trace import near_misses

_TABLES = {table.name: table for table in (*schema.FACTS, schema.FRAMES)}


def table_of(source: Source, name: str) -> DataTable:
    """One table of a trace. Raises ValueError for a name that is none, and like `Source.facts`."""
    if (table := _TABLES.get(name)) is None:
        hint = near_misses.suggestion(name, _TABLES) or f"; there are {', '.join(_TABLES)}"
        raise ValueError(f"there is no table {name!r} of a trace{hint}")
    rows: Iterable[Sequence[Any]]
    if table is schema.FRAMES:
        rows = zip(*frame_columns(list(source.frames())), strict=True)
    else:
        rows = fact_rows(table, source.facts())
    columns = [column for column in table.columns if column.name != "trace_id"]
    names, types = [column.name for column in columns], [column.type for column in columns]
    plain = (tuple(map(_plain, types, row)) for row in rows)
    return DataTable(tuple(names), tuple(types), tuple(plain))


def _plain(sql_type: str, item: Any) -> Any:
    """A value as the store gives it back: members of enumerations, and bytes of a text, are its text."""
    if sql_type != "VARCHAR" or item is None or type(item) is str:
        return item
    return item.decode() if isinstance(item, bytes) else str(item)
