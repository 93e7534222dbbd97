"""All that a store has of some traces, and a trace with all that can be wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb

from acp_trace.store import schema
from acp_trace.store.load import Loaded, load
from tests.support import line, trace

Tables = dict[str, list[tuple[Any, ...]]]

ODD = (
    trace(("client", {"jsonrpc": "2.0", "id": "ä\0b", "method": "x"}), end=False)
    + line(t=1, **{"from": "agent"}, base64="gf8=")
    + line(t=2, **{"from": "agent"}, text="not JSON \0 ü")
    + line(t=3, log="ünï\0")
    + b"{damaged\n"
    + b'{"t":4,"from":"agent","frame":"\\ud83d"}\n'
    + b'{"t":4,"from":"agent","frame":{"torn'
)


def all_tables(paths: Iterable[Path]) -> tuple[list[Loaded], Tables]:
    """What became of each file, and every table, row for row, but when that was."""
    with duckdb.connect() as connection:
        for statement in schema.uncommented():
            connection.execute(statement)
        loaded = [load(connection, path) for path in paths]
        found = {}
        for table in schema.TABLES:
            columns = ", ".join(column.name for column in table.columns if column.name != "loaded_at")
            found[table.name] = connection.execute(f"SELECT {columns} FROM {table.name}").fetchall()
        return loaded, found
