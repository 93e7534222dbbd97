"""The tables explain themselves, and the views say what they promise."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.analyze.latency import latencies
from acp_trace.store import schema
from acp_trace.store.connect import reading, writing
from acp_trace.store.load import load
from tests.support import TRACES, Home, analyzed


def test_every_table_view_and_column_has_its_comment(home: Home) -> None:
    """In the database itself, for whoever opens it with another tool."""
    with reading(home.store) as connection:
        found = connection.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
        tables = connection.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall()
    things: tuple[schema.Table | schema.SqlView, ...] = (*schema.TABLES, *schema.VIEWS)
    documented = {(thing.name, column.name): column.doc for thing in things for column in thing.columns}
    assert {
        (table, column): comment for table, column, comment in found if table != schema.META
    } == documented
    assert all(doc for doc in documented.values())
    assert {name: doc for name, doc in tables if name != schema.META} == {
        table.name: table.doc for table in schema.TABLES
    }


def test_every_row_starts_with_its_trace() -> None:
    """Nothing refers across traces."""
    assert {table.columns[0].name for table in schema.TABLES} == {"trace_id"}


@pytest.mark.slow
def test_the_latency_view_is_the_reports_latency(home: Home) -> None:
    """Two ways to the same percentiles, over every trace at hand."""
    with writing(home.store) as connection:
        for path in TRACES:
            load(connection, Path(path))
    with reading(home.store) as connection:
        rows = connection.execute("FROM latency ORDER BY trace_id, sender, method").fetchall()
    every = [analyzed(Path(path).read_bytes())[0] for path in TRACES]
    assert rows == sorted(
        (facts.trace.id, one.sender, one.method, one.count, one.answered, one.open, one.errors,
         one.min_ns, one.p50_ns, one.p95_ns, one.max_ns)
        for facts in every
        for one in latencies(facts.exchanges)
    )  # fmt: skip
