"""Tables that an older acp-trace built: they answer until a build derives them again, and nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from msgspec import structs

from acp_trace.analyze.version import VERSION
from acp_trace.places import packing
from acp_trace.places.place import SharedPlace
from acp_trace.store import schema
from acp_trace.store.connect import reading
from acp_trace.team.lake import log, names
from acp_trace.team.lake.build import build
from acp_trace.team.lake.snapshot import LakeSnapshot, TableGroup
from acp_trace.team.lake.tables import opened
from tests.commands import Commands
from tests.lake.traces import built, made_traces, place_at, push, rows_at, rows_of_store

#: What layouts of the store added, up to the one of today.
_ADDED: Mapping[int, Mapping[str, tuple[str, ...]]] = {
    7: {"traces": ("imported_from",)},
    8: {"traces": ("transport",), "frames": ("stream",)},
    9: {"traces": ("model_requests", "model_refused")},
    10: {"findings": ("path", "expected", "consequence_of")},
    11: {"tool_calls": ("began_ns",), "turns": ("unknown_ns",)},
    12: {"sessions": ("name",)},
    13: {
        "sessions": ("parent_session_id", "parent_tool_call_id", "subagent_ns"),
        "tool_calls": ("parent_id",),
        "permissions": ("parent_id",),
    },
    14: {
        "sessions": ("opened_frame", "opened_ns", "forked_from"),
        "tool_calls": ("replayed", "over_ns"),
    },
    15: {"turns": ("input_tokens", "cached_tokens", "output_tokens", "cost")},
    16: {"traces": ("last_frame_ns", "silence_from_ns", "silence_ns", "silence_frame")},
    17: {"findings": ("t_ns",), "traces": ("faults",)},
}
_NEW_TABLES = {8: "streams", 12: "session_events"}


def _aged(place: SharedPlace, group: TableGroup, layout: int) -> TableGroup:
    """The group as an acp-trace with that layout, and rules as old, has built it."""
    files = {}
    for table, about in group.files.items():
        gone = [column for new, added in _ADDED.items() if new > layout for column in added.get(table, ())]
        file = place.path_of(group.object(table) or "")
        with duckdb.connect() as connection:
            without = f"EXCLUDE ({', '.join(gone)})" if gone else ""
            connection.execute(
                f"CREATE TABLE t AS SELECT * {without} REPLACE ({layout} AS rules_version) "
                f"FROM read_parquet('{file}', hive_partitioning = false)"
            )
            connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")
        if file is not None and not any(
            table == new and since > layout for since, new in _NEW_TABLES.items()
        ):
            files[table] = structs.replace(about, bytes=file.stat().st_size)
    return structs.replace(group, layout=layout, rules=layout, files=files)


@pytest.fixture
def aged(tmp_path: Path) -> tuple[SharedPlace, list[Path]]:
    """A place with tables of three layouts, and one trace that is in none; and the files of all traces."""
    place, files = place_at(str(tmp_path / "team")), made_traces(tmp_path / "traces", 9, days=3)
    push(place, files[:-1])
    build(place, 1)
    head = log.newest(place)
    oldest = schema.VERSION - 2
    groups = [_aged(place, group, oldest + age) for age, group in enumerate(head.groups.values())]
    assert {group.layout for group in groups} == {oldest, oldest + 1, oldest + 2}
    older = LakeSnapshot(head.number + 1, {group.name: group for group in groups})
    place.put(names.commit(older.number), b"".join(packing.packed([older.encoded("0.0.1")])))
    push(place, files[-1:])
    return place, files


def test_the_newest_layout_is_in_this_test() -> None:
    """Whoever makes the next one says here what it adds."""
    assert max(_ADDED) == schema.VERSION
    columns = {table.name: {column.name for column in table.columns} for table in schema.TABLES}
    assert all(set(added) <= columns[table] for one in _ADDED.values() for table, added in one.items())
    assert set(_NEW_TABLES.values()) <= columns.keys()


@pytest.mark.slow
def test_they_answer_as_they_are(
    commands: Commands, aged: tuple[SharedPlace, list[Path]], tmp_path: Path
) -> None:
    """Every column of every table and view, NULL where it did not exist, and the same rows as ever."""
    place, files = aged
    commands.passes("load", *files[:-1])
    things: tuple[schema.Table | schema.SqlView, ...] = (*schema.TABLES, *schema.VIEWS)
    with opened(place, tmp_path / "scratch") as tables, reading(commands.home.store) as store:
        for thing in things:
            if thing.name in _NEW_TABLES.values():
                assert len(tables.connection.execute(f"SELECT count(*) FROM {thing.name}").fetchall()) == 1
                continue
            kept = ", ".join(
                column.name
                for column in thing.columns
                if column.name != "loaded_at"
                and column.name != "analyzer_version"
                and not any(column.name in one.get(thing.name, ()) for one in _ADDED.values())
            )
            sql = f"SELECT {kept} FROM {thing.name} ORDER BY ALL"
            at, here = (each.execute(sql).fetchall() for each in (tables.connection, store))
            assert at == here, thing.name
    whole = "SELECT * EXCLUDE (day) FROM traces ORDER BY trace_id"
    assert len(commands.json("query", "--at", place.url, whole)) == 8
    for words in (("stats", "--by", "agent"), ("stats", "--by", "method")):
        assert commands.json(*words, "--at", place.url) == commands.json(*words)
    assert len(commands.json("ls", "--at", place.url)) == 9


@pytest.mark.slow
def test_the_next_build_derives_them_again(aged: tuple[SharedPlace, list[Path]], tmp_path: Path) -> None:
    """Rows as a new place has them, all by the rules of today; the old files stay until they are pruned."""
    place, files = aged
    before = {each.name for each in place.names(f"{names.ROOT}/")}
    assert built(place).total == 9
    assert {(group.rules, group.layout) for group in log.newest(place).groups.values()} == {
        (VERSION, schema.VERSION)
    }
    assert rows_at(place, tmp_path / "a") == rows_of_store(files)
    assert before < {each.name for each in place.names(f"{names.ROOT}/")}
