"""`lake build` and `query --at`: what a person sees, and what is read for a question."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from acp_trace.places import packing
from acp_trace.places.opening import open_place
from acp_trace.places.place import SharedPlace
from acp_trace.store.wanted import TraceFilter
from acp_trace.team.lake import log, tables
from acp_trace.team.lake.build import build
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.tables import opened, query
from tests.bucket.server import S3Server
from tests.commands import Commands
from tests.lake.test_build import committed, lake_files
from tests.lake.test_snapshot import group
from tests.lake.traces import made_traces, place_at, push
from tests.posix import named_pipe
from tests.support import SAMPLES, header

_COUNT = "SELECT count(*) AS n FROM frames"


def test_build_and_query(commands: Commands, place: str, tmp_path: Path) -> None:
    """Built, asked, and nothing to do the second time."""
    push(place_at(place), SAMPLES)
    assert commands.json("lake", "build", place, "--since", "2026-11-25T00:00Z")["commits"] == 0
    assert commands("lake", "build", place, "--since", "soon").code == 2
    said = commands.passes("lake", "build", place, "--jobs", "1")
    assert f": {len(SAMPLES)} traces built (" in said
    assert commands.json("lake", "build", place)["commits"] == 0
    assert "nothing to build; 8 traces in the tables" in commands.passes("lake", "build", place)
    at = commands.json("query", "--at", place, _COUNT)
    assert at == commands.json(
        "query", _COUNT, *(word for file in SAMPLES for word in ("--trace", str(file)))
    )
    assert commands.passes("query", "--at", place, "SELECT 1 AS a, 'x' AS b", "--csv") == "a,b\n1,x\n"
    day = commands.json("query", "--at", place, "SELECT DISTINCT day FROM traces ORDER BY 1")
    assert [row["day"] for row in day] == ["2026-11-20", "2026-11-21", "2026-11-23"]


def test_what_cannot_be_asked(commands: Commands, tmp_path: Path) -> None:
    """One line each, with the exit code for what is wrong."""
    place, nothing, other = (str(tmp_path / name) for name in ("team", "nothing", "other.parquet"))
    push(place_at(place), SAMPLES[:1])
    assert "does not exist" in commands("query", "--at", nothing, _COUNT).err
    said = commands("query", "--at", place, _COUNT)
    assert said.code == 3
    assert f"has no tables yet: `acp-trace team build file://{place}` makes them" in said.err
    commands.passes("lake", "build", place)
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{other}'")
    for sql, why in (
        ("SELECT * FROM read_parquet('/etc/passwd')", "does not accept read_parquet()"),
        (f"SELECT * FROM '{other}'", "tables, not files"),
        ("COPY turns TO '/tmp/x.csv'", "statement that reads"),
        ("SELECT parquet FROM turns", "parquet"),
        ("SELECT * FROM nothing", "nothing"),
        ("SET threads = 1", "statement that reads"),
    ):
        said = commands("query", "--at", place, sql)
        assert (said.code, said.out) == (2, ""), said
        assert why in said.err.lower() or why in said.err, said.err
    assert commands("query", "--at", place, _COUNT, "--trace", str(SAMPLES[0])).code == 2
    assert commands("query", "--at", "http://x", _COUNT).code == 2


def test_what_cannot_be_built(commands: Commands, tmp_path: Path) -> None:
    """Each is named, and the exit code is 3; damaged traces are named too."""
    place = place_at(str(tmp_path / "team"))
    push(place, made_traces(tmp_path / "traces", 5, days=1))
    newer = b"".join(packing.packed([b'{"acp_trace":99,"id":"x"}\n']))
    for number, data in enumerate([b"x", newer, *[b"x"] * 5]):
        place.put(f"traces/day=2026-11-01/agent=x/20261101T000000Z-bad{number}.jsonl.zst", data)
    said = commands("lake", "build", str(tmp_path / "team"))
    assert said.code == 3
    assert "5 traces built" in said.out
    lines = said.err.splitlines()
    assert lines[0] == "acp-trace: 1 trace built as far as they can be read: 20261101T120000Z-000004"
    assert lines[1].endswith("20261101T000000Z-bad0.jsonl.zst is damaged")
    assert "-bad1.jsonl.zst: trace format 99 is newer than " in lines[2]
    assert (len(lines), lines[-1]) == (7, "acp-trace: … and 2 more")
    document = json.loads(commands("lake", "build", str(tmp_path / "team"), "--json").out)
    assert [one["why"] for one in document["failed"]].count("is damaged") == 6


def test_nobody_waits_for_a_pipe_in_a_lake(commands: Commands, tmp_path: Path) -> None:
    """DuckDB opens the files of a directory itself, and would wait in `open`."""
    place = place_at(str(tmp_path / "team"))
    push(place, SAMPLES[:1])
    build(place, 1)
    [file] = [path for name in committed(place) if "/frames/" in name and (path := place.path_of(name))]
    file.unlink()
    named_pipe(file)
    writer = os.open(file, os.O_RDWR)  # so that a fault ends in another error
    said = commands("query", "--at", str(tmp_path / "team"), _COUNT)
    os.close(writer)
    assert (said.code, said.out) == (3, ""), said
    assert "is not a regular file: remove it" in said.err


@pytest.mark.parametrize("damage", ["away", "cut", "zeros", "empty"])
def test_a_file_that_is_not_what_it_was(commands: Commands, tmp_path: Path, damage: str) -> None:
    """One line names the place, and the exit code is 3. Other tables can be asked."""
    place = place_at(str(tmp_path / "team"))
    push(place, SAMPLES[:1])
    build(place, 1)
    [file] = [path for name in committed(place) if "/frames/" in name and (path := place.path_of(name))]
    data = file.read_bytes()
    file.unlink()
    if damage != "away":
        file.write_bytes({"cut": data[: len(data) // 2], "zeros": bytes(len(data)), "empty": b""}[damage])
    said = commands("query", "--at", str(tmp_path / "team"), "SELECT sum(size), max(body) FROM frames")
    assert (said.code, said.out) == (3, ""), said
    assert said.err.count("\n") == 1
    assert place.url in said.err
    if damage != "away":  # which is noticed when the tables are opened
        rows = commands.json("query", "--at", str(tmp_path / "team"), "SELECT count(*) AS n FROM traces")
        assert rows == [{"n": 1}]


def test_a_file_of_a_bucket_that_is_gone(commands: Commands, bucket: str) -> None:
    """The same, in the place's own words."""
    place = place_at(bucket)
    push(place, SAMPLES[:1])
    build(place, 1)
    place.remove([name for name in committed(place) if "/frames/" in name])
    said = commands("query", "--at", bucket, _COUNT)
    assert (said.code, said.out, said.err.count("\n")) == (3, "", 1), said
    assert bucket in said.err


def test_without_the_package_for_buckets(
    commands: Commands, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says how to get it."""
    place = place_at(bucket)
    push(place, SAMPLES[:1])
    build(place, 1)
    monkeypatch.setitem(sys.modules, "fsspec", None)
    monkeypatch.delitem(sys.modules, "acp_trace.team.lake.filesystem", raising=False)
    said = commands("query", "--at", bucket, _COUNT)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "pip install 'acp-trace[team]'" in said.err


def test_a_question_over_one_day_reads_that_day(bucket: str, tmp_path: Path) -> None:
    """Of all days and columns: no byte of another day's file is read."""
    place = place_at(bucket)
    push(place, made_traces(tmp_path / "traces", 9, days=9))
    build(place, 1)
    (tmp_path / "scratch").mkdir()
    with opened(place, tmp_path / "scratch") as lake:
        assert lake.files is not None
        assert lake.files.read == {}
        for sql in (
            "SELECT sum(size) FROM frames WHERE day = '2026-11-03'",
            "SELECT count(*) FROM traces t JOIN turns USING (trace_id, day) WHERE t.day = '2026-11-03'",
        ):
            assert lake.connection.execute(sql).fetchall()
        assert {name.split("/")[1:3][1] for name in lake.files.read} == {"day=2026-11-03"}
        assert {name.split("/")[1] for name in lake.files.read} == {"frames", "traces", "turns"}
        [frames] = [name for name in lake.files.read if "/frames/" in name]
        size = next(
            group.files["frames"].bytes
            for group in lake.snapshot.groups.values()
            if group.object("frames") == frames
        )
        assert lake.files.read[frames] < size + 70_000
        days = lake.connection.execute("SELECT day, count(*) FROM traces GROUP BY ALL").fetchall()
        assert len(days) == 9


@pytest.mark.slow
def test_a_question_over_one_day_asks_as_little_of_a_year(
    s3_server: S3Server, bucket: str, tmp_path: Path
) -> None:
    """It takes as many requests in a place with three times as many days, and no byte of another day."""
    requests, sql = [], "SELECT count(*), max(bytes) FROM frames WHERE day = '2026-11-03'"
    for number, days in enumerate((3, 9)):
        at = f"{bucket}/{number}"
        push(place_at(at), made_traces(tmp_path / str(number), days, days=days))
        build(place_at(at), 1)
        s3_server.forget()
        scratch = tmp_path / f"scratch{number}"
        scratch.mkdir()
        with query(open_place(at), sql, scratch) as result:
            assert len(list(result.rows)) == 1
        requests.append(s3_server.requests.total())
        read = {path.partition("/lake/")[2].rpartition("/")[0] for path in s3_server.sent if "/lake/" in path}
        assert read == {"commits", "frames/day=2026-11-03"}
    assert requests[0] == requests[1] < 12


def test_a_view_of_one_day_reads_that_day(bucket: str, tmp_path: Path) -> None:
    """Views have the column `day`, and the rows of the store's views; it limits what they read."""
    place, files = place_at(bucket), made_traces(tmp_path / "traces", 5, days=5)
    push(place, files)
    build(place, 1)
    (tmp_path / "scratch").mkdir()
    with opened(place, tmp_path / "scratch") as lake:
        assert lake.files is not None
        for view in ("latency", "failures"):
            lake.files.read.clear()
            found = lake.connection.execute(
                f"SELECT DISTINCT trace_id FROM {view} WHERE day = '2026-11-03'"
            ).fetchall()
            assert found in ([(files[2].stem,)], [])
            assert {name.split("/")[2] for name in lake.files.read} == {"day=2026-11-03"}, view


def test_a_period(commands: Commands, tmp_path: Path) -> None:
    """--since and --until choose traces by when they began. Of other days no file is read: here, it is gone."""
    place = place_at(str(tmp_path / "team"))
    push(place, SAMPLES)
    build(place, 1)
    commands.passes("load", *SAMPLES)
    for name in committed(place):
        path = place.path_of(name)
        if "day=2026-11-23" in name and path is not None:
            path.unlink()
    period = ("2026-11-20T15:00:00Z", "2026-11-21T12:16:25Z")
    where = f"WHERE started_at >= '{period[0]}' AND started_at < '{period[1]}'"
    [row] = commands.json("query", f"SELECT count(*) AS n FROM traces {where}")
    assert 0 < row["n"] < len(SAMPLES)
    words = ("query", "--at", str(tmp_path / "team"), "--since", period[0], "--until", period[1])
    for name, column in (
        ("traces", "agent_name"),
        ("frames", "frame"),
        ("turns", "turn"),
        ("failures", "frame"),
    ):
        sql = f"SELECT trace_id, {column} FROM {name}"
        wanted = f"{sql} WHERE trace_id IN (SELECT trace_id FROM traces {where}) ORDER BY ALL"
        assert commands.json(*words, f"{sql} ORDER BY ALL") == commands.json("query", wanted), name
    said = commands("query", "--since", "3d", _COUNT)
    assert (said.code, said.out) == (2, "")
    assert "give --at" in said.err
    assert commands("query", "--at", str(tmp_path / "team"), "--since", "soon", _COUNT).code == 2


@pytest.mark.parametrize(
    ("started_at", "is_in"),
    [
        ("2026-11-20T12:00:00Z", True),
        ("2026-11-20T12:00:00.000000Z", True),
        ("2026-11-20T11:59:59.999999Z", False),
        ("2026-11-20T14:00:00+02:00", True),
        ("2026-11-20T12:30:00+02:00", False),
        ("2026-11-20T12:00:00", True),  # UTC, as elsewhere, whatever this machine's zone is
        ("2026-11-20T13:00:00Z", False),
        ("yesterday", False),
    ],
)
def test_when_a_trace_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started_at: str, is_in: bool
) -> None:
    """By the time that it says, not by the day of its id; as `stats` chooses."""
    monkeypatch.setenv("TZ", "America/New_York")
    file = tmp_path / "20261120T120000Z-abcdef.jsonl"
    file.write_bytes(header(id=file.stem, started_at=started_at))
    place = place_at(str(tmp_path / "team"))
    push(place, [file])
    build(place, 1)
    (tmp_path / "scratch").mkdir()
    since, until = (datetime.fromisoformat(f"2026-11-20T{hour}:00Z") for hour in (12, 13))
    wanted = TraceFilter(since=since, until=until)
    with opened(place, tmp_path / "scratch", (since, until)) as lake:
        rows = lake.connection.execute("SELECT started_at FROM traces").fetchall()
        assert (rows == [(started_at,)]) is is_in
        assert wanted._began(started_at) is is_in


def test_a_question_is_about_one_commit(tmp_path: Path) -> None:
    """What is built while it is asked does not change the answer."""
    place: SharedPlace = place_at(str(tmp_path / "team"))
    files = made_traces(tmp_path / "traces", 4)
    push(place, files[:2])
    build(place, 1)
    (tmp_path / "scratch").mkdir()
    with opened(place, tmp_path / "scratch") as lake:
        push(place, files)
        build(place, 1)
        assert lake.connection.execute("SELECT count(*) FROM traces").fetchall() == [(2,)]
    assert log.newest(place).number == 2
    assert tables.opened is opened


def test_stats(commands: Commands, tmp_path: Path) -> None:
    """The same as of a store with these traces; also for some days."""
    place, files = place_at(str(tmp_path / "team")), made_traces(tmp_path / "traces", 5) + SAMPLES[::3]
    push(place, files)
    build(place, 1)
    commands.passes("load", *files)
    period = ("--since", "2026-11-02T00:00Z", "--until", "2026-11-21T00:00Z")
    for words in (
        ("stats",),
        *(("stats", "--by", by, *period) for by in ("agent_version", "agent", "client", "method")),
    ):
        here = commands.json(*words)
        assert here
        assert commands.json(*words, "--at", str(tmp_path / "team")) == here
        assert commands.passes(*words, "--at", str(tmp_path / "team")) == commands.passes(*words)
    said = commands("stats", "--at", str(tmp_path / "team"), "--agent", "nobody")
    assert (said.code, said.out) == (4, "")
    assert "there is no trace that matches --agent nobody in the tables of file://" in said.err


@pytest.mark.parametrize("place", ["directory", "bucket"], indirect=True)
def test_check(commands: Commands, place: str) -> None:
    """As locally: the newest by default, or those that are named."""
    push(place_at(place), SAMPLES)
    commands.passes("load", *SAMPLES)
    ids = sorted(row["id"] for row in commands.json("ls"))
    for words in ([], ["last~2"], [ids[0], ids[3][-6:]], ["last", ids[-1]]):
        here, there = commands("check", *words, "--json"), commands("check", "--at", place, *words, "--json")
        assert json.loads(there.out) == json.loads(here.out)
        assert there.code == here.code
    for words, code in ((["last~99"], 3), (["nothing"], 3), (["a/b"], 2), (["-"], 2)):
        said = commands("check", "--at", place, *words)
        assert (said.code, said.out) == (code, ""), said


def test_days_around_a_time() -> None:
    """A day more on both sides, in UTC, and those of which the day is not known."""
    groups = [group(day, [day], day) for day in ("unknown", *(f"2026-11-{day:02}" for day in range(1, 10)))]
    snapshot = LakeSnapshot().replaced([], groups)

    def days(since: str | None, until: str | None) -> list[str]:
        times = (None if text is None else datetime.fromisoformat(text) for text in (since, until))
        return [day[-2:] for day in snapshot.between(*times).groups if day != "unknown"]

    assert days("2026-11-05T01:00+02:00", "2026-11-05T12:00Z") == ["03", "04", "05", "06"]
    assert days(None, "2026-11-02T12:00Z") == ["01", "02", "03"]
    assert days("2026-11-09T12:00Z", None) == ["08", "09"]
    assert len(snapshot.between(None, None).groups) == len(groups)
    assert list(snapshot.between(datetime.fromisoformat("2030-01-01T00:00Z"), None).groups) == ["unknown"]
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    assert snapshot.between(first, last) == snapshot  # no day is before the one or after the other
    assert list(snapshot.between(last, first).groups) == ["unknown"]


def test_prune_removes_what_the_first_build_left(commands: Commands, tmp_path: Path) -> None:
    """It was killed before its first commit: no commit names its files, as none would ever."""
    place = place_at(str(tmp_path / "team"))
    push(place, SAMPLES[:1])
    file = "lake/turns/day=2026-11-20/0af3.parquet"
    place.put(file, b"of a build that was killed")
    prune = ("prune", "--at", str(tmp_path / "team"), "--older-than", "100000d")
    assert commands.json(*prune)["files"] == []
    os.utime(tmp_path / "team" / file, (0, 0))
    assert commands.json(*prune, "--dry-run")["files"] == [file]
    assert commands.json(*prune)["files"] == [file]
    assert [*place.names("lake/")] == []


def test_prune_removes_files_that_no_commit_names(commands: Commands, tmp_path: Path) -> None:
    """Of removed traces, of killed builds; but none that may be of a build that goes on, and nothing foreign."""
    place = place_at(str(tmp_path / "team"))
    push(place, SAMPLES)
    build(place, 1)
    prune = ("prune", "--at", str(tmp_path / "team"), "--keep", "2")
    assert len(commands.json(*prune)["removed"]) == len(SAMPLES) - 2
    replaced = committed(place)
    build(place, 1)
    place.put("lake/turns/day=2026-11-20/0af3.parquet", b"of a build that was killed")
    place.put("lake/turns/day=2026-11-20/notes.parquet", b"foreign")
    assert commands.json(*prune)["files"] == []
    used = committed(place)
    unused = sorted({*replaced - used, "lake/turns/day=2026-11-20/0af3.parquet"})
    for file in (tmp_path / "team").rglob("*.parquet"):
        os.utime(file, (0, 0))
    assert sorted(commands.json(*prune, "--dry-run")["files"]) == unused
    assert f"removed {len(unused)} files of older tables" in commands.passes(*prune)
    assert commands.passes(*prune) == "nothing to remove\n"
    assert {each.name for each in place.names("lake/")} >= used | {"lake/turns/day=2026-11-20/notes.parquet"}
    assert commands.json("query", "--at", str(tmp_path / "team"), "SELECT count(*) AS n FROM traces") == [
        {"n": 2}
    ]


def test_prune_removes_what_was_half_written(commands: Commands, tmp_path: Path) -> None:
    """Of a killed push and of a killed build, a day later: no list has it. Nothing foreign, and nothing younger."""
    place = place_at(str(tmp_path / "team"))
    push(place, SAMPLES[:1])
    build(place, 1)
    ours = [
        "lake/commits/000000000002.json.zst#1",
        "lake/turns/day=2026-11-20/0af3.parquet#1",
        "traces/day=2026-11-20/agent=x/20261120T130501Z-7f3a9c.jsonl.zst#12",
    ]
    foreign = [
        "lake/notes.parquet#1",
        "lake/turns/day=2026-11-20/0af3.parquet#x",
        "traces/notes#1",
        "notes#1",
    ]
    for name in [*ours, *foreign]:
        file = tmp_path / "team" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"half")
    prune = ("prune", "--at", str(tmp_path / "team"), "--keep", "9")
    assert commands.json(*prune)["unfinished"] == []
    for name in [*ours, *foreign]:
        os.utime(tmp_path / "team" / name, (0, 0))
    assert commands.json(*prune, "--dry-run")["unfinished"] == ours
    line = "removed 3 files that a push or a build was writing when it was killed\n"
    assert commands.passes(*prune) == line
    assert commands.passes(*prune) == "nothing to remove\n"
    assert all((tmp_path / "team" / name).exists() for name in foreign)
    assert lake_files(place) == committed(place)
