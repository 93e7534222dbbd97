"""Traces for places: those of the repository under other ids and on other days, and damaged ones."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from acp_trace.places.address import url_of
from acp_trace.places.opening import open_place
from acp_trace.places.place import SharedPlace
from acp_trace.store import schema
from acp_trace.store.sources import FileSource
from acp_trace.store.sweep import load_files
from acp_trace.team.bucket.push import Push
from acp_trace.team.lake.build import Built, build
from acp_trace.team.lake.tables import opened
from acp_trace.trace.home import Home
from tests.support import SAMPLES

Row = tuple[object, ...]


def place_at(address: str) -> SharedPlace:
    """A place, made if it is none."""
    return open_place(url_of(address, "/"), make=True)


def made_traces(directory: Path, count: int, days: int = 2, start: int = 0) -> list[Path]:
    """Recordings of the repository under other ids, on some days; each fifth is cut off in a line."""
    directory.mkdir(exist_ok=True)
    made = []
    for number in range(start, start + count):
        first, _, rest = SAMPLES[number % len(SAMPLES)].read_bytes().partition(b"\n")
        at = first.index(b'"id":"') + len(b'"id":"')
        id_ = f"202611{1 + number % days:02}T120000Z-{number:06x}"
        lines = first[:at] + id_.encode() + first[first.index(b'"', at) :] + b"\n" + rest
        if number % 5 == 4:
            lines = lines[: -len(rest) // 3] + b"\n{}\nnot JSON\n" + lines[-len(rest) // 5 : -7]
        path = directory / f"{id_}.jsonl"
        path.write_bytes(lines)
        made.append(path)
    return made


def push(place: SharedPlace, files: list[Path]) -> None:
    """Pushes files as they are."""
    done = list(Push(place, "keep").all([partial(FileSource, file) for file in files], 4))
    assert {one.state for one in done} <= {"pushed", "there"}, done


def built(place: SharedPlace, jobs: int = 1) -> Built:
    """Builds, and sees that nothing is left to do."""
    done = build(place, jobs)
    assert build(place, jobs).commits == 0
    return done


def rows_at(place: SharedPlace, scratch: Path) -> dict[str, list[Row]]:
    """All rows of the tables and views of a place, sorted; without the columns that only a place has."""
    scratch.mkdir(parents=True, exist_ok=True)
    with opened(place, scratch) as tables:
        return _rows(tables.connection)


def rows_of_store(files: list[Path]) -> dict[str, list[Row]]:
    """The same of a store of these files: made once for the same files, which many tests have."""
    return _rows_of_store(tuple((file.name, file.read_bytes()) for file in files))


@cache
def _rows_of_store(files: tuple[tuple[str, bytes], ...]) -> dict[str, list[Row]]:
    with TemporaryDirectory() as name:
        directory = Path(name)
        for file, data in files:
            (directory / file).write_bytes(data)
        home = Home(directory / "home")
        swept = load_files(home, [directory / file for file, _ in files])
        assert not swept.failed
        with duckdb.connect(home.store, read_only=True) as connection:
            return _rows(connection)


def _rows(connection: duckdb.DuckDBPyConnection) -> dict[str, list[Row]]:
    rows = {}
    things: tuple[schema.Table | schema.SqlView, ...] = (*schema.TABLES, *schema.VIEWS)
    for thing in things:
        names = [column.name for column in thing.columns if column.name != "loaded_at"]
        found = connection.execute(f"SELECT {', '.join(names)} FROM {thing.name}").fetchall()
        rows[thing.name] = sorted(found, key=repr)
    return rows
