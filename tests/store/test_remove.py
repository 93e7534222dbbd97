"""Removing traces: many at once as well as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from acp_trace.store import schema
from acp_trace.store.connect import writing
from acp_trace.store.rows import delete


class _Counting:
    """A connection that counts its statements."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.statements = 0

    def execute(self, *args: Any) -> Any:
        self.statements += 1
        return self._connection.execute(*args)


def test_a_thousand_traces_take_as_many_statements_as_one(tmp_path: Path) -> None:
    """One for each table: `prune` of a hundred thousand traces would keep others out for an hour."""
    with writing(tmp_path / "store.duckdb") as connection:
        for table in schema.TABLES:
            connection.execute(f"INSERT INTO {table.name} (trace_id) SELECT 't' || range FROM range(1005)")
        counting: Any = _Counting(connection)
        delete(counting, [f"t{n}" for n in range(1000)])
        assert counting.statements == len(schema.TABLES)
        for table in schema.TABLES:
            found = connection.execute(f"SELECT trace_id FROM {table.name} ORDER BY ALL").fetchall()
            assert found == [(f"t{n}",) for n in range(1000, 1005)]
