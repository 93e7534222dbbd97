"""What executors read of the tables of a bucket: which files, how many in a task, and their rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from acp_trace.store import schema
from acp_trace.team.lake import log, names
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.spark import reading
from acp_trace.team.lake.spark.ddl import columns_of
from acp_trace.team.lake.spark.reading import DayFile
from tests.lake.test_snapshot import group
from tests.lake.traces import built, made_traces, place_at, push

_TABLE = {table.name: table for table in schema.TABLES}
_DAYS = ["2026-10-31", "2026-11-01", "2026-11-02", "unknown"]


class _Condition(NamedTuple):
    attribute: tuple[str, ...]
    value: Any


def _said(kind: str, value: Any, column: str = "day") -> Any:
    """A condition as Spark gives it: of a class of that name."""
    return type(kind, (_Condition,), {})((column,), value)


@pytest.mark.parametrize(
    ("conditions", "left"),
    [
        ([], _DAYS),
        ([_said("EqualTo", "2026-11-01")], ["2026-11-01"]),
        ([_said("EqualNullSafe", "unknown")], ["unknown"]),
        ([_said("GreaterThanOrEqual", "2026-11-01"), _said("LessThan", "2026-11-02")], ["2026-11-01"]),
        ([_said("GreaterThan", "2026-11-01")], ["2026-11-02", "unknown"]),
        ([_said("LessThanOrEqual", "2026-11-01")], ["2026-10-31", "2026-11-01"]),
        ([_said("In", ["unknown", "2026-10-31", None])], ["2026-10-31", "unknown"]),
        ([_said("StringStartsWith", "2026-11")], ["2026-11-01", "2026-11-02"]),
        ([_said("EqualTo", "2026-11-01", "trace_id"), _said("IsNotNull", None)], _DAYS),
        ([_said("Not", _said("EqualTo", "2026-11-01"))], _DAYS),
    ],
)
def test_conditions_on_the_day(conditions: list[Any], left: list[str]) -> None:
    """Files of other days are left out; what is not understood leaves all in."""
    files = [DayFile(day, "a", 1) for day in _DAYS]
    assert [file.day for file in reading.may_have(files, conditions)] == left


def test_the_files_of_a_table() -> None:
    """By day, those that have rows of it."""
    groups = [group("b", ["x"], "2026-11-21", 7), group("a", ["y"], "2026-11-20", 9)]
    snapshot = LakeSnapshot(1, {one.name: one for one in groups})
    assert reading.files_of(_TABLE["loads"], snapshot) == [
        DayFile("2026-11-20", "a", 9),
        DayFile("2026-11-21", "b", 7),
    ]
    assert reading.files_of(_TABLE["turns"], snapshot) == []


def test_tasks_have_some_files_each() -> None:
    """Small ones are together, in their order; a large one is alone, and none is cut or left out."""
    sizes = [30 << 20, 30 << 20, 30 << 20, 200 << 20, 1, 1]
    files = [DayFile("d", f"{number}", size) for number, size in enumerate(sizes)]
    tasks = reading.tasks(files)
    assert [[int(file.group) for file in task] for task in tasks] == [[0, 1], [2], [3], [4, 5]]
    assert reading.tasks([]) == []


@pytest.mark.slow
def test_the_rows_are_those_of_the_file(tmp_path: Path) -> None:
    """Of each table, in Spark's columns, in batches; a column that an older layout lacks is NULL."""
    pytest.importorskip("pyarrow")
    place = place_at(str(tmp_path / "team"))
    push(place, made_traces(tmp_path / "traces", 3, days=1))
    built(place)
    seen = 0
    for table in schema.TABLES:
        for file in reading.files_of(table, log.newest(place)):
            path = place.path_of(names.data(table.name, file.day, file.group))
            assert path is not None
            dropped = table.columns[-1].name
            with duckdb.connect() as connection:
                connection.execute(
                    f"CREATE TABLE t AS FROM read_parquet('{path}', hive_partitioning = false)"
                )
                connection.execute(f"ALTER TABLE t DROP {dropped}")
                connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
                rest = ", ".join(c.name for c in columns_of(table)[:-1] if c.name != dropped)
                expected = connection.execute(f"SELECT {rest}, '{file.day}' FROM t").fetchall()
            whole = DayFile(file.day, file.group, path.stat().st_size)
            batches = list(reading.batches(place, table, whole))
            assert [field.name for field in batches[0].schema] == [c.name for c in columns_of(table)]
            rows = [row for batch in batches for row in batch.to_pylist()]
            assert all(row.pop(dropped) is None for row in rows)
            assert [tuple(row.values()) for row in rows] == expected
            seen += len(rows)
    assert seen > 100
