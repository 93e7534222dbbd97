"""Builds: the tables have what a local store has, row for row, whatever happens to a build."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

import duckdb
import pytest
from msgspec import structs

from acp_trace.analyze.version import VERSION
from acp_trace.places import layout, packing, pull
from acp_trace.places.place import Object, PlaceError, SharedPlace
from acp_trace.store import schema
from acp_trace.system.processes import KILL
from acp_trace.team.bucket.objects import ObjectStorage
from acp_trace.team.lake import build as building
from acp_trace.team.lake import log, names, parquet, plan, unit, workers
from acp_trace.team.lake.build import build
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import LakeSnapshot, TableFile, decoded
from acp_trace.team.lake.spark import task, wire
from acp_trace.team.lake.tables import opened
from acp_trace.team.lake.unit import UnitDone
from acp_trace.trace.os_errors import file_and_reason
from tests.lake.spark.test_task import batch
from tests.lake.traces import built, made_traces, place_at, push, rows_at, rows_of_store
from tests.posix import named_pipe
from tests.support import SAMPLES

#: A place whose files DuckDB reads where they are, and one of which it reads copies. Each other kind of place has
#: the tables, and takes one commit of several: that it is used in the same way need not be shown again.
_BOTH_READ = pytest.mark.parametrize("place", ["directory", "bucket"], indirect=True)


@pytest.fixture
def there(place: str) -> SharedPlace:
    """An empty place."""
    return place_at(place)


@pytest.fixture
def team(tmp_path: Path) -> SharedPlace:
    """An empty place that is a directory."""
    return place_at(str(tmp_path / "team"))


def lake_files(place: SharedPlace) -> set[str]:
    """The names of all files of tables."""
    return {each.name for each in place.names(f"{names.ROOT}/") if names.group_of(each.name)}


def committed(place: SharedPlace) -> set[str]:
    """The names of those that the newest commit names."""
    groups = log.newest(place).groups.values()
    return {name for one in groups for table in one.files if (name := one.object(table))}


def traces_at(place: SharedPlace, number: int) -> int:
    """How many traces a commit counts."""
    packed = place.read(names.commit(number)) or b""
    snapshot = decoded(number, b"".join(packing.unpacked([packed])))
    return sum(group.traces for group in snapshot.groups.values())


def ids(place: SharedPlace, scratch: Path) -> list[str]:
    """The ids in `loads`, as often as they are there."""
    scratch.mkdir()
    with opened(place, scratch) as tables:
        rows = tables.connection.execute("SELECT trace_id FROM loads ORDER BY ALL").fetchall()
    return [id_ for (id_,) in rows]


def test_every_table_is_equal(there: SharedPlace, tmp_path: Path) -> None:
    """Damaged traces as well; then the same with what came later, and nothing was written that is not used."""
    files = made_traces(tmp_path / "traces", 5, days=2) + SAMPLES
    push(there, files[:7])
    done = built(there)
    assert (done.traces, done.total, done.commit, done.commits) == (7, 7, 1, 1)
    assert [key.rpartition("/")[2] for key in done.damaged] == [f"{files[4].stem}.jsonl.zst"]
    assert rows_at(there, tmp_path / "a") == rows_of_store(files[:7])
    push(there, files)
    done = built(there)
    assert (done.traces, done.total, done.commit) == (len(files) - 7, len(files), 2)
    assert rows_at(there, tmp_path / "b") == rows_of_store(files)
    assert lake_files(there) == committed(there)


@_BOTH_READ
def test_by_several_processes(there: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows, with a commit after each part."""
    monkeypatch.setattr(workers, "_ALONE_BYTES", 0)
    files = made_traces(tmp_path / "traces", 8, days=4)
    push(there, files)
    done = build(there, 2, commit_s=0)
    assert (done.traces, done.commits) == (8, 4)
    assert rows_at(there, tmp_path / "a") == rows_of_store(files)


def test_files_are_typed(team: SharedPlace, tmp_path: Path) -> None:
    """Every row has its trace and the version of the rules; columns have the store's types; zstd."""
    push(team, SAMPLES)
    built(team)
    root = team.path_of(names.ROOT)
    assert root is not None
    with duckdb.connect() as connection:
        for table in [one for one in schema.TABLES if (root / one.name).exists()]:
            files = f"'{root}/{table.name}/*/*.parquet'"
            columns = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({files})").fetchall()
            assert [(name, kind) for name, kind, *_ in columns] == [
                *((column.name, column.type) for column in table.columns),
                ("rules_version", "BIGINT"),
                ("day", "DATE"),  # from the directory, as DuckDB guesses it
            ], table.name
            versions = f"SELECT DISTINCT rules_version FROM read_parquet({files})"
            assert connection.execute(versions).fetchall() == [(VERSION,)]
            codecs = f"SELECT DISTINCT compression FROM parquet_metadata({files})"
            assert connection.execute(codecs).fetchall() == [("ZSTD",)]


def test_objects_that_cannot_be_built(team: SharedPlace, tmp_path: Path) -> None:
    """Each is told with its reason, and tried again; all others are built. Foreign names are passed over."""
    files = made_traces(tmp_path / "traces", 4)
    push(team, files)
    whole = b"".join(packing.packed([SAMPLES[0].read_bytes()]))
    bad = {
        "20261101T000000Z-bad0": b"no zstd at all",
        "20261101T000000Z-bad1": whole[: len(whole) // 2],
        "20261101T000000Z-bad2": b"".join(packing.packed([b"not a trace\n"])),
        "20261101T000000Z-bad3": b"".join(packing.packed([b'{"acp_trace":99,"id":"x"}\n'])),
        "20261101T000000Z-bad4": b"",
    }
    for id_, data in bad.items():
        team.put(layout.key(id_, "x"), data)
    team.put("lake/commits/readme.txt", b"foreign")
    team.put("lake/turns/day=2026-11-01/notes.parquet", b"foreign")
    team.put("traces/notes.txt", b"foreign")
    done = build(team, 1)
    assert sorted(done.failed) == [layout.key(id_, "x") for id_ in bad]
    assert all(why and "\n" not in why for why in done.failed.values()), done.failed
    assert (done.traces, done.total) == (4, 4)
    again = build(team, 1)
    assert (again.failed, again.commits) == (done.failed, 0)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


def test_two_builders_at_once(there: SharedPlace, tmp_path: Path) -> None:
    """Both end well; each trace is in the tables once."""
    files = made_traces(tmp_path / "traces", 6)
    push(there, files)
    failed: list[BaseException] = []

    def builder() -> None:
        try:
            build(there, 1, commit_s=0)
        except BaseException as error:
            failed.append(error)

    builders = [threading.Thread(target=builder) for _ in range(3)]
    for each in builders:
        each.start()
    for each in builders:
        each.join()
    assert failed == []
    assert build(there, 1).commits == 0
    assert rows_at(there, tmp_path / "a") == rows_of_store(files)


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """What is called once, right before the first commit is put: what somebody else does then."""
    calls: list[object] = []
    commit = log.commit

    def late(*args: object) -> object:
        if calls:
            calls.pop()()  # type: ignore[operator]
        return commit(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(log, "commit", late)
    yield calls
    assert calls == []


def test_the_loser_drops_what_the_winner_built(
    team: SharedPlace, tmp_path: Path, meanwhile: list[object]
) -> None:
    """All of it: no second commit is put, and nothing is there twice."""
    files = made_traces(tmp_path / "traces", 6)
    push(team, files)
    meanwhile.append(lambda: build(team, 1))
    done = build(team, 1)
    assert (done.commit, done.commits, done.traces, done.total) == (1, 0, 0, 6)
    assert lake_files(team) > committed(team)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


def test_the_loser_keeps_what_only_it_has(
    team: SharedPlace, tmp_path: Path, meanwhile: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a group, the traces that the winner has not; whole groups of other days."""
    files = made_traces(tmp_path / "traces", 6, days=1) + made_traces(tmp_path / "traces", 2, days=2, start=6)
    push(team, files)
    everything = pull.kept_in(team)

    def winner() -> None:
        with monkeypatch.context() as patch:
            some = [trace for trace in everything if trace.id in {file.stem for file in files[:4]}]
            patch.setattr(building, "kept_in", lambda _: some)
            build(team, 1)

    meanwhile.append(winner)
    done = build(team, 1)
    assert (done.commit, done.commits, done.traces, done.total) == (2, 1, 4, 8)
    assert ids(team, tmp_path / "ids") == sorted(file.stem for file in files)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


def test_two_builders_that_replace_the_same(
    team: SharedPlace, tmp_path: Path, meanwhile: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of older rules are replaced by one of them."""
    files = made_traces(tmp_path / "traces", 6)
    push(team, files)
    with monkeypatch.context() as patch:
        patch.setattr(unit, "VERSION", VERSION - 1)
        patch.setattr(building, "_VERSIONS", (VERSION - 1, schema.VERSION))
        build(team, 1)
    meanwhile.append(lambda: build(team, 1))
    done = build(team, 1)
    assert (done.commit, done.commits) == (2, 0)
    assert {group.rules for group in log.newest(team).groups.values()} == {VERSION}
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


@pytest.mark.parametrize("since", [None, "2026-11-01"])
def test_what_was_pushed_and_built_meanwhile_stays(
    team: SharedPlace, tmp_path: Path, meanwhile: list[object], since: str | None
) -> None:
    """The list of the loser has it not, for it is older: what is not in that has not been removed."""
    files = made_traces(tmp_path / "traces", 6, days=2)
    push(team, files[:3])

    def winner() -> None:
        push(team, files[3:])
        build(team, 1)

    meanwhile.append(winner)
    done = build(team, 1, since=since)
    assert (done.removed, done.total) == (0, 6)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


@pytest.mark.slow
def test_merged_while_another_takes_a_trace_out(
    team: SharedPlace, tmp_path: Path, meanwhile: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What merges the group that the other has replaced is left out, so that the trace does not come back."""
    files = made_traces(tmp_path / "traces", 3, days=1)
    for file in files:
        push(team, [file])
        build(team, 1)

    def winner() -> None:
        team.remove([next(trace.key for trace in pull.kept_in(team) if trace.id == files[0].stem)])
        with monkeypatch.context() as patch:
            patch.setattr(plan, "MERGED_FROM", 9)
            build(team, 1)

    monkeypatch.setattr(plan, "MERGED_FROM", 3)
    meanwhile.append(winner)
    build(team, 1)
    # In no commit: a later one of the same build would take it out again.
    assert {traces_at(team, number) for number in range(4, log.newest(team).number + 1)} == {2}
    assert ids(team, tmp_path / "ids") == [file.stem for file in files[1:]]
    assert rows_at(team, tmp_path / "a") == rows_of_store(files[1:])


@_BOTH_READ
def test_a_commit_whose_answer_was_lost(
    there: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A place that has taken a commit may say that it was there already, when it is asked again."""
    files = made_traces(tmp_path / "traces", 3)
    push(there, files)
    put = there.put

    def lost(name: str, data: bytes) -> bool:
        return put(name, data) and names.commit_number(name) is None

    with monkeypatch.context() as patch:
        patch.setattr(there, "put", lost)
        done = build(there, 1)
    assert (done.commit, done.total) == (1, 3)
    assert rows_at(there, tmp_path / "a") == rows_of_store(files)


@pytest.mark.parametrize("before", ["a file", "its commit"])
def test_a_builder_that_dies(
    team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """What it has put is in no table; the next build does it all."""
    files = made_traces(tmp_path / "traces", 6)
    push(team, files)
    put, left = team.put, [20]

    def dying(name: str, data: bytes) -> bool:
        left[0] -= 1
        if names.commit_number(name) if before == "its commit" else left[0] < 0:
            raise KeyboardInterrupt
        return put(name, data)

    with monkeypatch.context() as patch:
        patch.setattr(team, "put", dying)
        with pytest.raises(KeyboardInterrupt):
            build(team, 1)
    assert lake_files(team)
    assert log.newest(team) == LakeSnapshot()
    assert (built(team).traces, len(ids(team, tmp_path / "ids"))) == (6, 6)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


def test_an_engine_that_fails(team: SharedPlace, tmp_path: Path) -> None:
    """What it has done before is committed, and the next build goes on there."""
    files = made_traces(tmp_path / "traces", 6, days=2)
    push(team, files)

    def failing(
        place: SharedPlace, units: Sequence[Unit], jobs: int, tick: Callable[[int], None]
    ) -> Generator[UnitDone]:
        yield from workers.all_done(place, units[:1], jobs, tick)
        raise PlaceError("lost")

    with pytest.raises(PlaceError, match="lost"):
        build(team, 1, engine=failing)
    assert log.newest(team).number == 1
    done = built(team)
    assert (done.commit, done.traces, done.total) == (2, 3, 6)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


def test_what_was_removed_is_taken_out(team: SharedPlace, tmp_path: Path) -> None:
    """From the middle of a group, and all of a day."""
    files = made_traces(tmp_path / "traces", 8, days=2)
    push(team, files)
    built(team)
    gone = {file.stem for file in (*files[::2], files[1])}
    team.remove([trace.key for trace in pull.kept_in(team) if trace.id in gone])
    done = built(team)
    assert (done.removed, done.total, done.traces) == (5, 3, 0)
    left = [file for file in files if file.stem not in gone]
    assert rows_at(team, tmp_path / "a") == rows_of_store(left)


def by_executors(
    place: SharedPlace, units: Sequence[Unit], _: int, tick: Callable[[int], None]
) -> Generator[UnitDone]:
    """The units as a cluster does them: as bytes, there and back."""
    given: list[tuple[int, bytes]] = []
    list(task.work([batch(dict(enumerate(units)))], place.url, given.extend, is_last=True))
    for number, data in given:
        tick(units[number].traces)
        yield wire.outcome_of(data).of(units[number])


@_BOTH_READ
@pytest.mark.parametrize("engine", [workers.all_done, by_executors])
def test_what_is_removed_after_it_was_listed(
    there: SharedPlace, tmp_path: Path, engine: building.Engine
) -> None:
    """Is left out, and told by no build; what is there, and cannot be read, is told by every one."""
    files, bad = made_traces(tmp_path / "traces", 4, days=2), layout.key("20261101T000000Z-bad0", "x")
    push(there, files)
    gone = {trace.key for trace in pull.kept_in(there) if trace.id in {files[0].stem, files[1].stem}}
    there.put(bad, b"x")

    def pruned(
        place: SharedPlace, units: Sequence[Unit], jobs: int, tick: Callable[[int], None]
    ) -> Generator[UnitDone]:
        place.remove(sorted(gone))
        return engine(place, units, jobs, tick)

    done = build(there, 1, engine=pruned)
    assert (done.failed, done.traces, done.total) == ({bad: "is damaged"}, 2, 2)
    again = build(there, 1)
    assert (again.failed, again.commits) == (done.failed, 0)
    assert rows_at(there, tmp_path / "a") == rows_of_store(files[2:])


@pytest.mark.parametrize("away", ["from an executor", "with the place"])
def test_what_is_not_there_and_was_not_removed(
    team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away: str
) -> None:
    """It is told: a share that is mounted here and not there, or that was unmounted, is nothing to pass over."""
    push(team, made_traces(tmp_path / "traces", 2, days=1))
    keys = [trace.key for trace in pull.kept_in(team)]

    def engine(
        place: SharedPlace, units: Sequence[Unit], jobs: int, tick: Callable[[int], None]
    ) -> Generator[UnitDone]:
        with monkeypatch.context() as patch:
            patch.setattr(ObjectStorage, "pieces", lambda *_: None)
            yield from workers.all_done(place, units, jobs, tick)
        if away == "with the place":
            place.remove([*keys, layout.MARKER])

    assert build(team, 1, engine=engine).failed == dict.fromkeys(keys, "no longer exists")


def test_only_the_last_days(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days before are left as they are, whatever became of their traces, which are not listed."""
    place, files = place_at(bucket), made_traces(tmp_path / "traces", 6, days=3)
    push(place, files[:3])
    build(place, 1)
    push(place, files)
    place.remove([trace.key for trace in pull.kept_in(place) if trace.id == files[0].stem])
    prefixes: list[str] = []
    listed = ObjectStorage.names

    def noted(self: ObjectStorage, prefix: str) -> Iterator[Object]:
        prefixes.append(prefix)
        return listed(self, prefix)

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStorage, "names", noted)
        done = build(place, 1, since="2026-11-02")
        assert sorted({one for one in prefixes if one.startswith("traces")}) == [
            "traces/day=2026-11-02/",
            "traces/day=2026-11-03/",
        ]
    assert (done.traces, done.removed, done.total) == (2, 0, 5)
    assert build(place, 1, since="2026-11-04").commits == 0
    done = built(place)
    assert (done.traces, done.removed, done.total) == (1, 1, 5)
    assert rows_at(place, tmp_path / "a") == rows_of_store(files[1:])


def test_older_rules_are_applied_again(
    team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next build with newer ones, in one commit; until then what is there can be read."""
    files = made_traces(tmp_path / "traces", 5)
    push(team, files)
    with monkeypatch.context() as patch:
        patch.setattr(unit, "VERSION", VERSION - 1)
        patch.setattr(building, "_VERSIONS", (VERSION - 1, schema.VERSION))
        assert build(team, 1).total == 5
    assert len(ids(team, tmp_path / "ids")) == 5
    push(team, made_traces(tmp_path / "traces", 7))
    done = built(team)
    assert (done.traces, done.total, done.commits) == (7, 7, 1)
    files = made_traces(tmp_path / "traces", 7)
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


def test_small_files_are_merged(team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a day has many: they are one then, with the same rows."""
    monkeypatch.setattr(plan, "MERGED_FROM", 3)
    files = made_traces(tmp_path / "traces", 6, days=1)
    counts = []
    for file in files:
        push(team, [file])
        build(team, 1)
        counts.append(len(log.newest(team).groups))
    assert counts == [1, 2, 1, 2, 1, 2]
    assert rows_at(team, tmp_path / "a") == rows_of_store(files)


@_BOTH_READ
@pytest.mark.parametrize("damage", ["cut", "empty", "changed"])
def test_a_damaged_file_is_not_merged(
    there: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """It is told by its name in the place, once: also if DuckDB read a copy of it, or does not say which one."""
    for file in made_traces(tmp_path / "traces", 3, days=1):
        push(there, [file])
        build(there, 1)
    name = sorted(name for name in committed(there) if "/frames/" in name)[1]
    data = there.read(name) or b""
    half = len(data) // 2
    changed = data[:half] + bytes(byte ^ 0xFF for byte in data[half:-4]) + data[-4:]
    there.remove([name])
    there.put(name, {"cut": data[:half], "empty": b"", "changed": changed}[damage])
    monkeypatch.setattr(plan, "MERGED_FROM", 3)
    with pytest.raises(PlaceError) as told:
        build(there, 1)
    line = str(told.value)
    said = "cannot be read" if damage == "changed" else "has another size than when it was built"
    assert line.startswith(f"{there.url}: {name} {said}: {names.MENDED}")
    assert (line.count(".parquet"), line.count("\n")) == (1, 0), line


@_BOTH_READ
@pytest.mark.parametrize("table", ["loads", "frames"])
@pytest.mark.parametrize("use", ["merged", "taken out"])
def test_a_file_of_another_group_in_its_place(
    there: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, use: str
) -> None:
    """It is Parquet and can be read; but no group is made of it, whose rows were those of other traces."""
    for start, count in (0, 2), (2, 3), (5, 4):
        push(there, made_traces(tmp_path / "traces", count, days=1, start=start))
        build(there, 1)
    first, second, _ = sorted(name for name in committed(there) if f"/{table}/" in name)
    group = log.newest(there).groups[names.group_of(first) or ""]
    if use == "merged":
        monkeypatch.setattr(plan, "MERGED_FROM", 3)
    else:
        gone = min(unit.ids_of(there, group, tmp_path))
        there.remove([trace.key for trace in pull.kept_in(there) if trace.id == gone])
    data = there.read(second) or b""
    there.remove([first])
    there.put(first, data)
    before = committed(there)
    with pytest.raises(PlaceError) as told:
        build(there, 1)
    assert str(told.value) == f"{there.url}: {first} has another size than when it was built: {names.MENDED}"
    assert committed(there) == before


def test_loads_of_other_traces(team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the same size is noticed by the ids in it: no trace is built twice."""
    for number in range(2):
        push(team, made_traces(tmp_path / "traces", 1, days=1, start=number))
        build(team, 1)
    first, second = (one for one in sorted(committed(team)) if "/loads/" in one)
    data = team.read(second) or b""
    team.remove([first])
    team.put(first, data)
    head = log.newest(team)
    sizes = {"loads": TableFile(1, len(data))}
    groups = [structs.replace(group, files=group.files | sizes) for group in head.groups.values()]
    _commit(team, LakeSnapshot(head.number + 1, {group.name: group for group in groups}))
    why = f"{first} has other traces than when it was built: {names.MENDED}"
    push(team, made_traces(tmp_path / "traces", 1, days=1, start=2))
    with pytest.raises(PlaceError, match=re.escape(why)):
        build(team, 1)


def test_a_full_disk_is_not_taken_for_damage(
    team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the files that are merged can be read, nothing is to be removed."""
    for file in made_traces(tmp_path / "traces", 3, days=1):
        push(team, [file])
        build(team, 1)

    def full(*_: object) -> None:
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")

    monkeypatch.setattr(plan, "MERGED_FROM", 3)
    monkeypatch.setattr(parquet, "copy_tables", full)
    with pytest.raises(duckdb.IOException, match="No space left"):
        build(team, 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no disk that is always full")
def test_where_the_disk_is_full(team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the temporary directory: another one can be chosen, with TMPDIR."""
    push(team, made_traces(tmp_path / "traces", 1))

    def full(trace: layout.Kept, scratch: Path) -> Path:
        path = scratch / trace.id
        if not path.is_symlink():
            path.symlink_to("/dev/full")
        return path

    monkeypatch.setattr(unit, "_path", full)
    with pytest.raises(OSError, match="No space left") as told:
        build(team, 1)
    temporary = os.path.realpath(tempfile.gettempdir())
    assert file_and_reason(told.value) == f"{temporary}: No space left on device"


def _changed(place: SharedPlace, **changes: int) -> None:
    """Commits the same groups, as if another version had built them."""
    head = log.newest(place)
    groups = [structs.replace(group, **changes) for group in head.groups.values()]
    _commit(place, LakeSnapshot(head.number + 1, {group.name: group for group in groups}))


def _commit(place: SharedPlace, snapshot: LakeSnapshot) -> None:
    place.put(names.commit(snapshot.number), b"".join(packing.packed([snapshot.encoded("9.9")])))


@pytest.mark.parametrize("changes", [{"rules": VERSION + 1}, {"layout": schema.VERSION + 1}])
def test_newer_tables_are_not_built_over(team: SharedPlace, tmp_path: Path, changes: dict[str, int]) -> None:
    """Two versions would undo each other's work; one line says which one to update."""
    push(team, SAMPLES[:2])
    built(team)
    _changed(team, **changes)
    with pytest.raises(PlaceError, match="built by a newer acp-trace") as raised:
        build(team, 1)
    assert "\n" not in str(raised.value)


def test_tables_of_an_older_layout(team: SharedPlace, tmp_path: Path) -> None:
    """They can be read: what they lack is NULL. The next build makes them anew."""
    push(team, SAMPLES[:3])
    built(team)
    with duckdb.connect() as connection:
        for name in committed(team):
            if name.startswith("lake/turns/"):
                file = team.path_of(name)
                connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT * EXCLUDE (model_ns) FROM '{file}'")
                connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")
    _changed(team, layout=schema.VERSION - 2)
    (tmp_path / "scratch").mkdir()
    with opened(team, tmp_path / "scratch") as tables:
        turns = tables.connection.execute(
            "SELECT count(*), count(model_ns), count(day) FROM turns"
        ).fetchall()
    assert turns[0][0] == turns[0][2] > 0
    assert turns[0][1] == 0
    built(team)
    assert rows_at(team, tmp_path / "a") == rows_of_store(SAMPLES[:3])


@pytest.mark.parametrize("damage", ["cut", "newer", "foreign"])
def test_a_commit_that_cannot_be_read(team: SharedPlace, damage: str) -> None:
    """Nothing is built over it, and one line says what it is."""
    push(team, SAMPLES[:1])
    built(team)
    whole = b"".join(packing.packed([b'{"acp_trace_lake":99,"made_by":"9.9"}']))
    data = {"cut": whole[:-8], "newer": whole, "foreign": b"hello"}[damage]
    team.put(names.commit(2), data)
    with pytest.raises(PlaceError) as raised:
        build(team, 1)
    assert names.commit(2) in str(raised.value) or "acp-trace 9.9" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("make", "told"),
    [(named_pipe, "is not a regular file: remove it"), (os.mkdir, "can neither be read nor replaced")],
    ids=["pipe", "directory"],
)
def test_what_is_no_file_has_the_name_of_a_commit(
    team: SharedPlace, tmp_path: Path, make: Callable[[Path], None], told: str
) -> None:
    """It cannot be put, and a directory is in no list: the build ends."""
    push(team, SAMPLES[:1])
    (tmp_path / "team" / names.COMMITS).mkdir(parents=True)
    make(tmp_path / "team" / names.commit(1))
    with pytest.raises(PlaceError, match=told):
        build(team, 1)


@pytest.mark.parametrize("name", ["te[a]m *", "env=prod", "day=2020-01-01/trace_id=x"])
def test_a_directory_whose_name_means_more(tmp_path: Path, name: str) -> None:
    """DuckDB would look for files that match it, or take its parts for columns of the tables."""
    place = place_at(str(tmp_path / name))
    for file in SAMPLES[:2]:
        push(place, [file])
        built(place)
    assert rows_at(place, tmp_path / "a") == rows_of_store(SAMPLES[:2])
    place.remove([trace.key for trace in pull.kept_in(place)[:1]])
    assert built(place).removed == 1
    with opened(place, tmp_path / "a" / "b") as tables:
        found = tables.connection.execute("SELECT day, trace_id FROM traces").fetchall()
    assert found == [(trace.day, trace.id) for trace in pull.kept_in(place)]


def test_a_scratch_directory_whose_name_means_more(team: SharedPlace, tmp_path: Path) -> None:
    """As the one that TMPDIR names may: nothing of it is in the tables."""
    push(team, SAMPLES[:2])
    built(team)
    assert rows_at(team, tmp_path / "job=5") == rows_of_store(SAMPLES[:2])


def test_a_worker_that_is_killed(team: SharedPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and no waiting."""
    monkeypatch.setattr(workers, "_ALONE_BYTES", 0)
    monkeypatch.setattr(workers, "_do", _dies)
    push(team, made_traces(tmp_path / "traces", 4))
    with pytest.raises(PlaceError, match="was killed"):
        build(team, 2)


def _dies(*_: object) -> None:
    os.kill(os.getpid(), KILL)
