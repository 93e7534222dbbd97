"""The tables of a place against a local database: each row there, and there once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from acp_trace.places.place import SharedPlace
from acp_trace.store import schema
from acp_trace.team.lake.tables import opened
from tests.faults.stage import must

_THINGS: tuple[schema.Table | schema.SqlView, ...] = (*schema.TABLES, *schema.VIEWS)


def equal(place: SharedPlace, database: Path) -> int:
    """Compares all tables and views row for row; how many rows. Raises Lie.

    The only column left out is the time of loading. What is compared is put next to the database meanwhile.
    """
    rows = 0
    with (
        TemporaryDirectory(dir=database.parent) as scratch,
        opened(place, Path(scratch, "lake")) as lake,
        duckdb.connect(Path(scratch, "compared.duckdb")) as connection,
    ):
        connection.execute(f"ATTACH '{database}' AS here (READ_ONLY)")
        for thing in _THINGS:
            columns = ", ".join(column.name for column in thing.columns if column.name != "loaded_at")
            there = lake.connection.sql(f"SELECT {columns} FROM {thing.name}").to_arrow_reader(10_000)
            connection.register("reader", there)
            connection.execute("CREATE OR REPLACE TABLE there AS SELECT * FROM reader")
            connection.unregister("reader")
            rows += _same(connection, f"SELECT {columns} FROM here.{thing.name}", thing.name)
    return rows


def _same(connection: duckdb.DuckDBPyConnection, here: str, name: str) -> int:
    found = []
    for one, other in ((here, "FROM there"), ("FROM there", here)):
        found.append(connection.execute(f"({one}) EXCEPT ALL ({other}) LIMIT 3").fetchall())
    missing, more = found
    must(not missing and not more, f"{name}: not in the place: {missing}; only in the place: {more}"[:2000])
    counted = connection.execute("SELECT count(*) FROM there").fetchall()
    return int(counted[0][0])
