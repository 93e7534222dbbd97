"""Rows of some traces -> one Parquet file for each table, by DuckDB's COPY: typed, compressed with zstd."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from acp_trace import __version__
from acp_trace.places.place import PlaceError
from acp_trace.store import schema
from acp_trace.store.connect import NO_BAR
from acp_trace.store.duckdb_version import check_duckdb
from acp_trace.store.literals import quoted, quoted_list
from acp_trace.team.lake import columns, names

_LEAST_MEMORY = 256 << 20
#: DuckDB's message for a file that is not Parquet, for which it has no exception class.
_NO_PARQUET = "No magic bytes", "too small to be a Parquet file"


@contextmanager
def scratch_database(scratch: Path, jobs: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory with the store's tables, all empty.

    What does not fit into this process's share of the memory goes into `scratch`, a directory of its own.
    `jobs`: how many processes do this at once.
    """
    check_duckdb()
    with duckdb.connect(":memory:") as connection:
        connection.execute(NO_BAR)
        share = max(_memory() // 2 // jobs, _LEAST_MEMORY)
        connection.execute(f"SET memory_limit = '{share >> 20}MiB'")
        connection.execute(f"SET temp_directory = {quoted(str(scratch / 'spilled'))}")
        if jobs > 1:
            connection.execute("SET threads = 1")
        for statement in schema.uncommented():
            connection.execute(statement)
        yield connection


def write_tables(
    connection: duckdb.DuckDBPyConnection, rules: int, directory: Path
) -> dict[str, tuple[Path, int]]:
    """Writes what the tables of a database contain into files: by table the file and its number of rows.

    A table without rows gets no file.
    """
    made = {}
    for table in schema.TABLES:
        source = f"SELECT {table.names}, {rules}::BIGINT AS {columns.RULES.name} FROM {table.name}"
        if rows := _copy(connection, source, directory / f"{table.name}.parquet"):
            made[table.name] = (directory / f"{table.name}.parquet", rows)
    return made


def copy_tables(
    connection: duckdb.DuckDBPyConnection,
    files: Mapping[str, Collection[Path]],
    without: frozenset[str],
    directory: Path,
) -> dict[str, tuple[Path, int]]:
    """Writes the rows of some files of each table into one, as `write_tables` does.

    `files`: by table. `without`: ids of traces whose rows are left out.
    """
    left_out = f" WHERE trace_id NOT IN ({', '.join(map(quoted, sorted(without)))})" if without else ""
    made = {}
    for table, paths in files.items():
        listed = quoted_list([str(path) for path in paths])
        source = f"SELECT * FROM read_parquet({listed}, hive_partitioning = false){left_out}"
        if rows := _copy(connection, source, directory / f"{table}.parquet"):
            made[table] = (directory / f"{table}.parquet", rows)
    return made


def ids_in(file: Path) -> frozenset[str]:
    """The ids of the traces in a file. Raises duckdb.Error."""
    return frozenset(trace_id for (trace_id,) in _read(file, "DISTINCT trace_id"))


def damage_of(file: Path) -> duckdb.Error | None:
    """DuckDB's error if it cannot read every value of a file; None if it can."""
    try:
        # DuckDB could take a sum from the file's column statistics, without reading the columns.
        _read(file, "bit_xor(hash(COLUMNS(*)))")
    except duckdb.Error as error:
        return error
    return None


def _read(file: Path, what: str) -> list[tuple[Any, ...]]:
    with _reader().cursor() as cursor:
        source = f"read_parquet({quoted(str(file))}, hive_partitioning = false)"
        return cursor.execute(f"SELECT {what} FROM {source}").fetchall()


@cache
def _reader() -> duckdb.DuckDBPyConnection:
    """What reads all files of this process: DuckDB takes 30 ms to open a database, 2 ms to read a file."""
    connection = duckdb.connect(":memory:", config={"enable_external_file_cache": "false"})
    connection.execute(NO_BAR)
    return connection


def is_of_file(error: duckdb.Error) -> bool:
    """Whether the file that is read caused the error, not the query."""
    return isinstance(error, duckdb.IOException) or type(error) is duckdb.Error or _is_other(str(error))


def unreadable(url: str, error: duckdb.Error, name: str = "", file: Path | None = None) -> PlaceError:
    """The error to report for a place if a file of its tables cannot be read.

    `name`: the file's name, if known. `file`: where it was read, which is removed from the message.
    """
    first = str(error).partition("\n")[0]
    is_damaged = _is_other(first) or bool(name or names.stands_in(first))
    hint = f": {names.MENDED}" if is_damaged else ""
    if file is not None:
        first = re.sub(rf""" ?(['"]?){re.escape(str(file))}\1""", "", first)
    return PlaceError(f"{url}: {name or 'a file of the tables'} cannot be read{hint} ({first})")


def _is_other(said: str) -> bool:
    return any(sign in said for sign in _NO_PARQUET)


def _copy(connection: duckdb.DuckDBPyConnection, source: str, file: Path) -> int:
    """Writes rows into a new file; how many."""
    about = f"{{acp_trace: {quoted(__version__)}, acp_trace_store: {quoted(str(schema.VERSION))}}}"
    options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {about}"
    (rows,) = connection.execute(f"COPY ({source}) TO {quoted(str(file))} ({options})").fetchone() or (0,)
    return int(rows)


def _memory() -> int:
    """The memory of this machine in bytes; 4 GB if the system does not say."""
    if sys.platform != "win32":
        with contextlib.suppress(ValueError, OSError):
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 4 << 30
