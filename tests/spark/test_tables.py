"""The tables of a place in Spark: each question of docs/queries.md has the answer that DuckDB gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import acp_trace
from acp_trace.analyze.version import VERSION
from acp_trace.places import packing
from acp_trace.places.place import SharedPlace
from acp_trace.store import schema
from acp_trace.team.lake import names
from acp_trace.team.lake.build import build
from acp_trace.team.lake.snapshot import LakeSnapshot, TableFile, TableGroup, mark_of
from acp_trace.team.lake.tables import opened
from tests.bucket.server import S3Server
from tests.docs.test_queries import EXPECTED, SQL, _store
from tests.handmade import stored
from tests.lake.proof import corpus
from tests.lake.traces import place_at, push
from tests.support import SAMPLES

pytestmark = pytest.mark.spark
_DAY = "2026-11-20"
_THINGS: tuple[schema.Table | schema.SqlView, ...] = (*schema.TABLES, *schema.VIEWS)
#: Every table and view, whole.
WHOLE = [f"SELECT {', '.join(each.name for each in one.columns)}, day FROM {one.name}" for one in _THINGS]


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> SharedPlace:
    """The rows for which the answers of the page are known, as the tables of a place."""
    directory = tmp_path_factory.mktemp("by-hand")
    place = place_at(str(directory / "team"))
    stored(directory / "store.duckdb", *_store())
    files = {}
    with duckdb.connect(directory / "store.duckdb", read_only=True) as connection:
        for table in schema.TABLES:
            file = place.path_of(names.data(table.name, _DAY, "abc"))
            assert file is not None
            file.parent.mkdir(parents=True)
            connection.execute(f"COPY (SELECT *, 1 AS rules_version FROM {table.name}) TO '{file}'")
            files[table.name] = TableFile(1, file.stat().st_size)
    snapshot = LakeSnapshot(
        1, {"abc": TableGroup("abc", _DAY, VERSION, schema.VERSION, 3, mark_of(["a", "b", "c"]), files)}
    )
    place.put(names.commit(1), b"".join(packing.packed([snapshot.encoded("1")])))
    return place


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> SharedPlace:
    """Traces made from real ones, of three days, some damaged, built twice: with an older group of each day."""
    directory = tmp_path_factory.mktemp("real")
    place = place_at(str(directory / "team"))
    made = corpus.make(directory / "traces", 60, first=90, days=3, giant_frames=0, processes=1)
    for files in (made.traces[:20], made.traces):
        push(place, files)
        build(place, 1)
    return place


def in_duckdb(place: SharedPlace, sql: str, scratch: Path) -> list[tuple[Any, ...]]:
    scratch.mkdir(exist_ok=True)
    with opened(place, scratch) as tables:
        return tables.connection.execute(sql).fetchall()


def in_spark(session: Any, place: SharedPlace, sql: str) -> list[tuple[Any, ...]]:
    acp_trace.spark_tables(session, place.url)
    return [tuple(row) for row in session.sql(sql).collect()]


def same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> bool:
    """The same rows in any order. Sums of fractions may differ in their last digit."""

    def rounded(rows: list[tuple[Any, ...]]) -> Iterator[str]:
        for row in rows:
            yield repr([f"{each:.9g}" if isinstance(each, float) else each for each in row])

    return sorted(rounded(one)) == sorted(rounded(other))


def test_the_answer_is_right(session: Any, by_hand: SharedPlace, tmp_path: Path) -> None:
    """The rows that the page's test expects of DuckDB, the first one first, from the same SQL, for each question."""
    acp_trace.spark_tables(session, by_hand.url)
    with opened(by_hand, tmp_path) as tables:
        for question, sql in SQL.items():
            found = [tuple(row) for row in session.sql(sql).collect()]
            assert same(found, EXPECTED[question]), (question, found)
            assert same(tables.connection.execute(sql).fetchall(), EXPECTED[question]), question
            if "ORDER BY" in sql and "ORDER BY ALL" not in sql:
                assert same(found[:1], EXPECTED[question][:1]), question


def test_real_traces_have_the_same_answers(session: Any, real: SharedPlace, tmp_path: Path) -> None:
    """Every question, every table whole, and both views."""
    with opened(real, tmp_path / "scratch") as tables:
        acp_trace.spark_tables(session, real.url)
        for sql in [*WHOLE, *SQL.values()]:
            here = tables.connection.execute(sql).fetchall()
            there = [tuple(row) for row in session.sql(sql).collect()]
            assert same(_bytes(here), _bytes(there)), sql


@pytest.mark.parametrize("name", ["our team", "équipe+1", "te[a]m {1,2} *?%20", "env=prod"])
def test_a_directory_of_any_name(session: Any, tmp_path: Path, name: str) -> None:
    """Its tables are found there, and no part of its name is a column or a pattern."""
    place = place_at(str(tmp_path / name))
    push(place, SAMPLES[:3])
    build(place, 1)
    sql = "SELECT trace_id, day, agent_name FROM traces JOIN loads USING (trace_id, day)"
    found = in_spark(session, place, sql)
    assert len(found) == 3
    assert same(found, in_duckdb(place, sql, tmp_path / "scratch"))


def test_another_root(session: Any, real: SharedPlace, tmp_path: Path) -> None:
    """The cluster's own readers find the files under the name that it has for the place."""
    (tmp_path / "mounted").symlink_to(real.path_of("") or "")
    acp_trace.spark_tables(session, real.url, root=f"file://{tmp_path}/mounted/")
    frame = session.sql("SELECT count(*) FROM loads")
    assert frame.collect()[0][0] == 60
    assert f"{tmp_path}/mounted/lake/loads" in session.table("loads").inputFiles()[0]


def test_a_bucket_has_the_same_answers(
    session: Any, real: SharedPlace, bucket: str, s3_server: S3Server, tmp_path: Path
) -> None:
    """Read by the executors: every table and view, and of a question about one day, that day's files alone."""
    there = place_at(bucket)
    for each in real.names("lake"):
        there.put(each.name, real.read(each.name) or b"")
    acp_trace.spark_tables(session, bucket)
    with opened(real, tmp_path / "scratch") as tables:
        for sql in WHOLE:
            here = tables.connection.execute(sql).fetchall()
            rows = [tuple(row) for row in session.sql(sql).collect()]
            assert same(_bytes(here), _bytes(rows)), sql
        s3_server.sent.clear()
        counted = "SELECT count(*), sum(rules_version) FROM frames WHERE day = '2026-01-02'"
        rows_of_day = session.sql(counted).collect()[0]
        one_day = "SELECT count(*) FROM frames WHERE day = '2026-01-02'"
        assert rows_of_day[0] == tables.connection.execute(one_day).fetchall()[0][0] > 0
        assert rows_of_day[1] == rows_of_day[0] * VERSION
    assert s3_server.sent
    assert all("/lake/frames/day=2026-01-02/" in path for path in s3_server.sent), s3_server.sent


def _bytes(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Spark gives bytearrays."""
    return [tuple(bytes(each) if isinstance(each, bytearray) else each for each in row) for row in rows]


def test_only_the_day_is_read(session: Any, real: SharedPlace) -> None:
    """Spark leaves out the files of other days before it reads."""
    acp_trace.spark_tables(session, real.url)
    frame = session.sql("SELECT count(*) FROM frames WHERE day = '2026-01-02'")
    assert frame.collect()[0][0] > 0
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert "PartitionFilters: [isnotnull(day" in plan
