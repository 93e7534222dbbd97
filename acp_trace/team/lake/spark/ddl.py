"""The columns of a table in Spark's words. Pure."""

from __future__ import annotations

from acp_trace.store.schema import SqlColumn, Table
from acp_trace.team.lake import columns

#: Spark's name of a type; the others are the same.
_TYPES = {"VARCHAR": "STRING", "BLOB": "BINARY"}


def columns_of(table: Table) -> tuple[SqlColumn, ...]:
    """Those of the store, and the two that only a place has."""
    return (*table.columns, columns.RULES, columns.DAY)


def schema_of(table: Table) -> str:
    """The columns as DDL."""
    return ", ".join(f"`{one.name}` {_TYPES.get(one.type, one.type)}" for one in columns_of(table))
