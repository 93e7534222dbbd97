"""Rows into a table: what was given is what is there, with nanoarrow and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.store import bulk_insert
from acp_trace.store.bulk_insert import InsertColumn, insert
from tests.store.all_tables import ODD, all_tables
from tests.support import SAMPLES

_INT64 = st.integers(-(2**63), 2**63 - 1)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "BIGINT": _INT64,
    "BOOLEAN": st.booleans(),
    "VARCHAR": _TEXT,
    "VARCHAR as bytes": _TEXT.map(str.encode),
    "BLOB": st.binary(),
}


@st.composite
def _tables(draw: st.DrawFn) -> list[InsertColumn]:
    length = draw(st.integers(1, 20))
    columns = []
    for number, kind in enumerate(draw(st.lists(st.sampled_from(sorted(_VALUES)), min_size=1, max_size=6))):
        value = _VALUES[kind]
        if draw(st.booleans()):
            value = st.none() | value
        values = draw(st.lists(value, min_size=length, max_size=length))
        columns.append(InsertColumn(f"c{number}", kind.split()[0], values))
    return columns


@pytest.fixture(params=["nanoarrow", "tuples"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of inserting: the second one is that of a Python without nanoarrow."""
    if request.param == "tuples":
        monkeypatch.setattr(bulk_insert, "_nanoarrow", lambda: None)
    else:
        pytest.importorskip("nanoarrow")
    return str(request.param)


@pytest.mark.slow
@pytest.mark.usefixtures("way")
def test_what_is_inserted_is_there() -> None:
    """Any values of any type, NULL among them or not, twice in a row, in order."""
    with duckdb.connect() as connection:

        @given(_tables())
        def check(columns: list[InsertColumn]) -> None:
            named = ", ".join(f"{column.name} {column.type}" for column in columns)
            connection.execute(f"CREATE OR REPLACE TABLE t ({named})")
            insert(connection, "t", columns)
            insert(connection, "t", columns)
            assert connection.execute("FROM t").fetchall() == [*zip(*map(_plain, columns), strict=True)] * 2

        check()


def _plain(column: InsertColumn) -> list[Any]:
    is_text = column.type == "VARCHAR"
    return [each.decode() if is_text and isinstance(each, bytes) else each for each in column.values]


@pytest.mark.slow
def test_both_ways_fill_all_tables_alike(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Real recordings, and one with all that can be wrong: every table, row for row."""
    pytest.importorskip("nanoarrow")
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(ODD)
    paths = [odd, *sorted(SAMPLES, key=lambda path: path.stat().st_size)[:6]]
    first = all_tables(paths)
    monkeypatch.setattr(bulk_insert, "_nanoarrow", lambda: None)
    assert first == all_tables(paths)
    assert all(first[1][name] for name in ("frames", "lines", "logs", "damage", "loads", "traces", "turns"))
