"""The SQL and the files that Spark is given for the tables of a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_trace.places.place import PlaceError
from acp_trace.store import schema
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.spark import ddl, tables
from tests.lake.test_snapshot import group
from tests.lake.traces import place_at

_TABLE = {table.name: table for table in schema.TABLES}


@pytest.mark.parametrize("name", ["team", "our team%", "te[a]m"])
def test_how_a_directory_is_called(tmp_path: Path, name: str) -> None:
    """No part of its name is quoted."""
    assert tables.root_of(place_at(str(tmp_path / name))) == f"file://{tmp_path}/{name}"


def test_the_files_of_a_table() -> None:
    """Those that the commit names, and no others, also of a place whose name would be a pattern."""
    one = group("a", ["x"])
    found = tables.files_of(_TABLE["loads"], LakeSnapshot(1, {"a": one}), "file:///te[a]m *")
    assert found == [rf"file:///te\[a\]m \*/{one.object('loads')}"]
    found = tables.files_of(_TABLE["loads"], LakeSnapshot(1, {"a": one}), "s3a://traces/team")
    assert found == [f"s3a://traces/team/{one.object('loads')}"]


def test_the_columns() -> None:
    """Those of the store, and the two of a place, in Spark's types."""
    assert ddl.schema_of(_TABLE["lines"]) == (
        "`trace_id` STRING, `line` BIGINT, `kind` STRING, `raw` BINARY, `rules_version` BIGINT, `day` STRING"
    )


@pytest.mark.parametrize("view", schema.VIEWS, ids=lambda view: str(view.name))
def test_no_view_has_what_only_duckdb_knows(view: Any) -> None:
    """No list functions, no casts by colons."""
    sql = tables.sql_of(view)
    assert "list_sort" not in sql
    assert "::" not in sql
    assert "day" in sql


def test_a_place_without_tables(tmp_path: Path) -> None:
    """One line says how they are made."""
    with pytest.raises(PlaceError, match=r"has no tables yet: `acp-trace team build .*` makes them"):
        tables.make_views(object(), place_at(str(tmp_path / "team")))
