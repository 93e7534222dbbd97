"""The tables of a place for SQL: views over the files that its newest commit names, under the store's names.

A view is a list of files, each in a directory `day=…`. DuckDB reads no file of a day that a question leaves
out, and of the others the columns that it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from acp_trace.places.place import LackingPackages, SharedPlace
from acp_trace.store import schema
from acp_trace.store.connect import NO_BAR
from acp_trace.store.duckdb_version import check_duckdb
from acp_trace.store.literals import quoted, quoted_list
from acp_trace.store.query import BadQuery, QueryResult, answered
from acp_trace.store.schema import Table
from acp_trace.team.lake import columns, log, names, parquet
from acp_trace.team.lake.snapshot import LakeSnapshot

if TYPE_CHECKING:
    from acp_trace.team.lake.filesystem import LakeFiles

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # SQL that names a variable of this program
}
#: When traces began: since then, and before then.
Period = tuple[datetime | None, datetime | None]
ALWAYS: Period = (None, None)
#: A day that no trace has: that of the file from which DuckDB learns the columns of a table.
_NO_DAY = "none"


@contextmanager
def query(
    place: SharedPlace,
    sql: str,
    scratch: Path,
    stuck: Callable[[], None] | None = None,
    period: Period = ALWAYS,
) -> Iterator[QueryResult]:
    """Runs the SQL over the tables of a place: one statement that reads. Raises BadQuery and PlaceError.

    `scratch`: a directory of its own, for what a large question writes to the disk. `stuck`: as for
    `store.query.query`. `period`: as for `opened`.
    """
    with (
        opened(place, scratch, period) as tables,
        tables.errors_explained(),
        answered(tables.connection, sql, stuck) as result,
    ):
        yield result


@contextmanager
def opened(place: SharedPlace, scratch: Path, period: Period = ALWAYS) -> Iterator[LakeTables]:
    """The tables of a place, at its newest commit. Raises PlaceError; `scratch` as for `query`.

    `period`: they have only the traces that began in it, and only files that may have such are read.
    """
    check_duckdb()
    snapshot = log.newest_to_ask(place)
    with duckdb.connect(":memory:", config=_SETTINGS) as connection:
        connection.execute(NO_BAR)
        tables = LakeTables(place, connection, snapshot.between(*period))
        try:
            with tables.errors_explained():
                tables.make(scratch, period)
            yield tables
        finally:
            tables.close()


class LakeTables:
    """A connection with the tables of a place at one commit. Once they are made, it can read nothing else.

    `files`: what DuckDB reads the files of a bucket through; None for a directory.
    """

    def __init__(
        self, place: SharedPlace, connection: duckdb.DuckDBPyConnection, snapshot: LakeSnapshot
    ) -> None:
        """Raises LackingPackages: a bucket needs more than a directory."""
        self.connection = connection
        self.snapshot = snapshot
        self._place = place
        self.files: LakeFiles | None = None
        directory = place.path_of(names.ROOT)
        if directory is not None and not names.is_special(str(directory)):
            self._root = str(directory)
        else:
            self.files = _files_of(place, snapshot)
            connection.register_filesystem(self.files)
            self._root = self.files.url(names.ROOT)

    def close(self) -> None:
        """Before the connection: the two would hold each other for ever."""
        if self.files is not None:
            self.connection.unregister_filesystem(self.files.protocol)

    def make(self, scratch: Path, period: Period = ALWAYS) -> None:
        """Makes the views, and shuts the connection in."""
        self.connection.execute(f"SET temp_directory = {quoted(str(scratch / 'spilled'))}")
        empty = scratch / "empty" / f"day={_NO_DAY}"
        empty.mkdir(parents=True)
        is_plain = not names.is_special(str(empty.parent))
        made = [self._view(table, empty if is_plain else None, period) for table in _TRACES_FIRST]
        allowed = quoted_list([self._root, str(empty)])
        self.connection.execute(f"SET allowed_directories = {allowed}")
        self.connection.execute("SET enable_external_access = false")
        views = (f"CREATE VIEW {view.name} AS {view.sql(columns.DAY.name)}" for view in schema.VIEWS)
        for statement in [*made, *views]:
            self.connection.execute(statement)

    @contextmanager
    def errors_explained(self) -> Iterator[None]:
        """Says what the place did wrong, where DuckDB says that a file did. Raises PlaceError."""
        try:
            yield
        except (duckdb.Error, BadQuery) as error:
            if self.files is not None and self.files.problem is not None:
                raise self.files.problem from error
            cause = error.__cause__ if isinstance(error, BadQuery) else error
            if isinstance(cause, duckdb.Error) and parquet.is_of_file(cause):
                raise parquet.unreadable(self._place.url, cause) from error
            raise

    def _empty(self, table: Table, directory: Path) -> str:
        """A file of a table without rows."""
        file = directory / f"{table.name}.parquet"
        rows = f"SELECT * EXCLUDE ({columns.DAY.name}) FROM ({_nothing(table)})"
        self.connection.execute(f"COPY ({rows}) TO {quoted(str(file))} (FORMAT parquet)")
        return str(file)

    def _view(self, table: Table, empty: Path | None, period: Period) -> str:
        """The SQL that makes the view of a table. Files of older layouts are asked for their columns.

        `empty`: where files without rows can be; DuckDB looks into the first of them.
        """
        layouts: dict[int, list[str]] = {}
        selects = []
        if empty is None:
            selects.append(_nothing(table))
        else:
            layouts[schema.VERSION] = [self._empty(table, empty)]
        for group in self.snapshot.groups.values():
            if name := group.object(table.name):
                layouts.setdefault(group.layout, []).append(self._url(name))
        for layout, files in layouts.items():
            has = {column.name for column in (*table.columns, columns.DAY)}
            source = f"read_parquet({quoted_list(files)}, {_BY_DAY})"
            if layout != schema.VERSION:
                rows = self.connection.execute(
                    f"DESCRIBE SELECT * FROM read_parquet([{quoted(files[0])}], {_BY_DAY})"
                )
                has = {row[0] for row in rows.fetchall()}
            selects.append(f"SELECT {columns.select_list(table, has)} FROM {source}")
        every = " UNION ALL ".join(selects)
        if period == ALWAYS:
            return f"CREATE VIEW {table.name} AS {every}"
        wanted = (
            _began_in(period) if table is _TRACES_FIRST[0] else "trace_id IN (SELECT trace_id FROM traces)"
        )
        return f"CREATE VIEW {table.name} AS SELECT * FROM ({every}) WHERE {wanted}"

    def _url(self, name: str) -> str:
        """What DuckDB reads a file by. It opens a file of a directory itself, without our checks."""
        if self.files is None:
            self._place.check(name)
        return f"{self._root}{name.removeprefix(names.ROOT)}"


def _nothing(table: Table) -> str:
    """The SQL of a table without rows."""
    return f"SELECT {columns.select_list(table, ())} WHERE false"


def _began_in(period: Period) -> str:
    """The condition on `traces` of `TraceFilter`: a time without a zone is one in UTC."""
    began = "coalesce(try_cast(started_at || 'Z' AS TIMESTAMPTZ), try_cast(started_at AS TIMESTAMPTZ))"
    limits = zip((">=", "<"), period, strict=True)
    return " AND ".join(
        f"{began} {sign} TIMESTAMPTZ {quoted(time.astimezone(UTC).isoformat())}"
        for sign, time in limits
        if time is not None
    )


#: In this order, because the others may be limited by it.
_TRACES_FIRST = sorted(schema.TABLES, key=lambda table: table.name != "traces")
#: Without `union_by_name`, for which DuckDB would look into every file.
_BY_DAY = f"hive_partitioning = true, hive_types = {{'{columns.DAY.name}': {columns.DAY.type}}}"


def _files_of(place: SharedPlace, snapshot: LakeSnapshot) -> LakeFiles:
    try:
        from acp_trace.team.lake.filesystem import LakeFiles
    except ImportError as error:
        raise LackingPackages from error
    sizes = {
        names.data(table, group.day, group.name): file.bytes
        for group in snapshot.groups.values()
        for table, file in group.files.items()
    }
    return LakeFiles(place, sizes)
