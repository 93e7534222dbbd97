"""One unit of a plan, done: traces of a place, or files of its tables, become the files of one new group.

The files are put into the place, but they are not in the tables until a commit names them.
"""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import duckdb

from acp_trace.analyze.version import VERSION
from acp_trace.places import packing
from acp_trace.places.layout import Kept
from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.store import schema
from acp_trace.store.fill import fill, loads_row
from acp_trace.store.rows_of_many import RowsOfMany
from acp_trace.team.lake import names, parquet
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import TableFile, TableGroup, mark_of
from acp_trace.trace.files import TraceFile
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.parse import NewerFormat
from acp_trace.trace.scratch import naming_directory

#: Why a trace failed whose object was listed, and is away when it is read.
GONE = "no longer exists"
#: How many traces are fetched while one is read: a bucket answers after some ten milliseconds.
_AHEAD = 8


class UnitDone(NamedTuple):
    """The result of a unit. `group`: None if no trace is left in it."""

    unit: Unit
    group: TableGroup | None
    failed: list[tuple[str, str]]  #: name of the object and why; it is in no table
    damaged: list[str]  #: names of objects with lines that cannot be read


class _Fetched(NamedTuple):
    path: Path
    size: int
    sha256: str


def do(
    unit: Unit,
    place: SharedPlace,
    scratch: Path,
    *,
    jobs: int = 1,
    tick: Callable[[int], None] = lambda _: None,
) -> UnitDone:
    """Does a unit. `scratch`: a directory of its own. `tick` is called with numbers of traces done.

    Raises PlaceError, OSError and duckdb.Error.
    """
    failed: list[tuple[str, str]] = []
    damaged: list[str] = []
    if not unit.derive and not unit.copy:
        return UnitDone(unit, None, failed, damaged)
    tables = scratch / "tables"
    tables.mkdir()
    with parquet.scratch_database(scratch, jobs) as connection:
        if unit.derive:
            with RowsOfMany(connection) as rows:
                for trace, fetched in _ahead(place, unit.derive, scratch):
                    why = _derive(rows, trace, fetched.result, damaged)
                    if why:
                        failed.append((trace.key, why))
                    tick(1)
            made, versions = parquet.write_tables(connection, VERSION, tables), (VERSION, schema.VERSION)
        else:
            files = _local_files(place, unit.copy, scratch)
            try:
                made = parquet.copy_tables(connection, files, unit.without, tables)
            except duckdb.Error as error:
                if damaged_file := _damaged(place, files):
                    raise damaged_file from error
                raise
            versions = (unit.copy[0].rules, unit.copy[0].layout)
            tick(unit.traces)
    if "loads" not in made:
        return UnitDone(unit, None, failed, damaged)
    ids = parquet.ids_in(made["loads"][0])
    sizes = {table: TableFile(rows, path.stat().st_size) for table, (path, rows) in made.items()}
    group = TableGroup(os.urandom(8).hex(), unit.day, *versions, len(ids), mark_of(ids), sizes)
    for table, (path, _) in made.items():
        with path.open("rb") as file:
            place.put(group.object(table) or "", file)
    return UnitDone(unit, group, failed, damaged)


def ids_of(place: SharedPlace, group: TableGroup, scratch: Path) -> frozenset[str]:
    """The ids of the traces of a group. Raises PlaceError."""
    file = _local_file(place, group, "loads", scratch)
    try:
        ids = parquet.ids_in(file)
    except duckdb.Error as error:
        raise parquet.unreadable(place.url, error, group.object("loads") or "", file) from error
    if mark_of(ids) != group.mark:
        raise _other(place, group.object("loads") or "", "other traces")
    return ids


def _ahead(
    place: SharedPlace, traces: Sequence[Kept], scratch: Path
) -> Iterator[tuple[Kept, Future[_Fetched]]]:
    """The traces in their order, with some that come later already being fetched."""
    left = iter(traces)
    with ThreadPoolExecutor(_AHEAD) as threads:

        def fetching(most: int) -> list[tuple[Kept, Future[_Fetched]]]:
            return [(trace, threads.submit(_fetch, place, trace, scratch)) for trace in islice(left, most)]

        waiting = deque(fetching(_AHEAD))
        try:
            while waiting:
                trace, future = waiting.popleft()
                yield trace, future
                _path(trace, scratch).unlink(missing_ok=True)
                waiting += fetching(1)
        finally:
            for _, future in waiting:
                future.cancel()


def _fetch(place: SharedPlace, trace: Kept, scratch: Path) -> _Fetched:
    """The lines of a trace, in a file. Raises PlaceError, and ValueError if the object is damaged."""
    pieces = place.pieces(trace.key)
    if pieces is None:
        raise ValueError(GONE)
    path, digest, size = _path(trace, scratch), hashlib.sha256(), 0
    with naming_directory(), path.open("wb") as file:
        for piece in packing.unpacked(pieces):
            digest.update(piece)
            size += len(piece)
            file.write(piece)
    return _Fetched(path, size, digest.hexdigest())


def _path(trace: Kept, scratch: Path) -> Path:
    return scratch / f"{trace.id}.jsonl"


def _derive(
    rows: RowsOfMany,
    trace: Kept,
    fetched: Callable[[], _Fetched],
    damaged: list[str],
) -> str:
    """Adds the rows of a trace: all of them, or none. Why not; "" if it could be read."""
    try:
        path, size, sha256 = fetched()
        with path.open("rb", buffering=0) as stream, rows.of(trace.id):
            source = TraceFile(stream, trace.key)
            fill(rows, source, source.entries())
            rows.add(schema.LOADS, loads_row(size, sha256))
    except (Unreadable, NewerFormat, ValueError) as error:
        return str(error).removeprefix(trace.key).strip()
    if source.damage.count or source.damage.torn:
        damaged.append(trace.key)
    return ""


def _local_files(
    place: SharedPlace, groups: Sequence[TableGroup], scratch: Path
) -> dict[str, dict[Path, str]]:
    """The files of some groups, by table, where DuckDB can read them, and their names in the place."""
    found = {
        table.name: {
            _local_file(place, group, table.name, scratch): name
            for group in groups
            if (name := group.object(table.name)) is not None
        }
        for table in schema.TABLES
    }
    return {table: files for table, files in found.items() if files}


def _damaged(place: SharedPlace, files: Mapping[str, Mapping[Path, str]]) -> PlaceError | None:
    """The error for the first of these files that cannot be read; None if all can.

    DuckDB does not always name the file, and also fails if a disk is full.
    """
    for path, name in chain.from_iterable(each.items() for each in files.values()):
        if (error := parquet.damage_of(path)) is not None:
            return parquet.unreadable(place.url, error, name, path)
    return None


def _local_file(place: SharedPlace, group: TableGroup, table: str, scratch: Path) -> Path:
    """A file of a group where DuckDB can read it: in the place, if that is a directory, or else fetched."""
    name = group.object(table) or ""
    place.check(name)
    path = place.path_of(name)
    if path is None or not path.is_file() or names.is_pattern(str(path)):
        pieces = place.pieces(name)
        if pieces is None:
            raise PlaceError(f"{place.url}: {name} {GONE}")
        path = scratch / f"{group.name}-{table}.parquet"
        with naming_directory(), path.open("wb") as file:
            file.writelines(pieces)
    if path.stat().st_size != group.files[table].bytes:
        raise _other(place, name, "another size")
    return path


def _other(place: SharedPlace, name: str, has: str) -> PlaceError:
    """The error for a file that was cut off, or that another writer has put in place of a group's file."""
    return PlaceError(f"{place.url}: {name} has {has} than when it was built: {names.MENDED}")
