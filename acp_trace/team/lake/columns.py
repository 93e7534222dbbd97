"""What a file of a table has more than the store's table, and what files of other layouts lack. Pure."""

from __future__ import annotations

from collections.abc import Collection

from acp_trace.store.schema import SqlColumn, Table

#: In every file, behind the columns of the store's table.
RULES = SqlColumn("rules_version", "BIGINT", "version of the rules by which the row was derived")
#: From the name of the file, so that a question over a day reads only that day's files.
DAY = SqlColumn("day", "VARCHAR", "the day in UTC on which the trace began: 2026-11-20, or unknown")


def select_list(table: Table, has: Collection[str]) -> str:
    """The columns of a table of a place, from a file with these columns: NULL for what it does not have."""
    return ", ".join(
        column.name if column.name in has else f"NULL::{column.type} AS {column.name}"
        for column in (*table.columns, DAY)
    )
