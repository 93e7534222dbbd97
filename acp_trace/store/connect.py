"""Opening the store: waiting for the process that has it, and agreeing about versions.

A process that has the file open for writing locks out all others, and any reader locks out writers. So every
caller opens the store late, works in one short go and closes it.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from acp_trace import __version__
from acp_trace.store import headers, schema, upgrade
from acp_trace.store.aside import by_another_name, forget
from acp_trace.store.duckdb_version import check_duckdb
from acp_trace.store.errors import StoreBusy, StoreError
from acp_trace.store.make import is_missing, make
from acp_trace.store.place import watched
from acp_trace.store.private import private_files
from acp_trace.store.repair import repaired
from acp_trace.trace.os_errors import reason

if TYPE_CHECKING:
    import duckdb

#: How long to wait for another process. Loading holds the store longest: about 8 s a million frames.
#: If several processes hold it in turn, the queue moves: the wait starts again with each.
PATIENCE_S = 15.0
LONGEST_S = 120.0
_SHUT_IN = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # SQL that names a variable of this program
}

#: For every connection: where Python has no script, as in a worker of a build or a notebook, DuckDB shows on
#: standard output how far a statement of more than two seconds is.
NO_BAR = "SET enable_progress_bar = false"


@contextmanager
def reading(path: Path, *, apart: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store, read-only and without access to other files. It is made if it does not exist yet.

    `apart` is for users' SQL. DuckDB always lets SQL read and write the database's own file and logs by
    their names (`allowed_paths`); so it gets the store by names that lead nowhere once it is open. Raises
    StoreError.
    """
    while True:
        if is_missing(path):
            with writing(path):
                pass
        with ExitStack() as stack:
            try:
                connection = stack.enter_context(_opened(path, read_only=True, apart=apart))
            except FileNotFoundError:  # removed just now
                continue
            if upgrade.is_up_to_date(connection, _version(connection, path)):
                yield connection
                return
        with writing(path):  # from an older acp-trace
            pass


@contextmanager
def at_once(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store as it is, without waiting: nothing is made or brought up to date.

    Raises duckdb.Error if it cannot be read now.
    """
    while True:
        with (
            headers.watched(path) as are_same,
            closing(_connect(path, read_only=True)) as connection,
        ):
            if are_same():
                yield connection
                return


@contextmanager
def writing(path: Path, *, patience: float = PATIENCE_S) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store, open for writing, with its tables made or brought up to date. Raises StoreError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with private_files(), ExitStack() as stack:
        while True:
            _make_if_missing(path)
            try:
                connection = stack.enter_context(_opened(path, read_only=False, patience=patience))
                break
            except FileNotFoundError:  # removed just now
                continue
        path.chmod(0o600)
        upgrade.bring_up_to_date(connection, _version(connection, path))
        yield connection


@contextmanager
def _opened(
    path: Path, *, read_only: bool, patience: float = PATIENCE_S, apart: bool = False
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database, closed at the end. Waits for other processes that have it.

    Raises StoreError, and FileNotFoundError if there is no database.
    """
    duckdb = _duckdb(path)
    waiting = _Waiting(path, patience)
    tried = False
    while True:
        with ExitStack() as stack:
            try:
                is_same = stack.enter_context(watched(path))
                name = stack.enter_context(by_another_name(path)) if apart else path
                are_same = stack.enter_context(headers.watched(name))
            except FileNotFoundError:
                raise
            except OSError as error:
                raise StoreError(f"cannot open the store: {reason(error)}: {path}") from None
            try:
                connection = _connect(name, read_only=read_only)
            except duckdb.Error as error:
                if not is_same():  # another file took its place: that one is opened
                    continue
                if not _is_locked(error) and not are_same():  # blocks that others have just given up
                    continue
                if tried or not (tried := repaired(path, error, _read_only)):
                    waiting.after(error)
                continue
            stack.callback(connection.close)
            if forget(path, name) and is_same() and are_same():
                yield connection
                return


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    connection: duckdb.DuckDBPyConnection
    connection = _duckdb(path).connect(path, read_only=read_only, config=dict(_SHUT_IN))
    connection.execute(NO_BAR)
    return connection


def _read_only(path: Path) -> duckdb.DuckDBPyConnection:
    return _connect(path, read_only=True)


class _Waiting:
    """The patience with other processes that have the store."""

    def __init__(self, path: Path, patience: float) -> None:
        self._path, self._patience = path, patience
        self._began = self._since = time.monotonic()
        self._holder = ""
        self._wait = 0.005

    def after(self, error: Exception) -> None:
        """Waits a moment where the store is locked. Raises StoreBusy in the end, StoreError for all else."""
        if not _is_locked(error):
            raise StoreError(f"cannot open the store: {_first(error)}") from None
        holder = re.search(r"lock is held in (.*?\(PID \d+\))", str(error))
        who, now = holder[1] if holder else "another process", time.monotonic()
        if who != self._holder:
            self._holder, self._since = who, now
        if now - self._since >= self._patience or now - self._began >= LONGEST_S:
            raise StoreBusy(
                f"the store is in use by {who}; nothing is lost, try again: {self._path}"
            ) from None
        time.sleep(self._wait * (0.5 + random.random()))
        self._wait = min(self._wait * 1.5, 0.1)


def _make_if_missing(path: Path) -> None:
    """Make an empty store if there is none. Raises StoreError."""
    duckdb = _duckdb(path)

    def fill(new: Path) -> None:
        with _connect(new, read_only=False) as connection:
            upgrade.bring_up_to_date(connection, 0)
            connection.execute("CHECKPOINT")  # when it is closed, DuckDB keeps a failure to itself

    try:
        if is_missing(path):
            make(path, fill)
    except OSError as error:
        raise StoreError(f"cannot make the store: {reason(error)}: {path}") from None
    except duckdb.Error as error:
        raise StoreError(f"cannot make the store: {_first(error)}") from None


def _duckdb(path: Path) -> ModuleType:
    """DuckDB, once it is known that it can take this path. Raises StoreError."""
    import duckdb  # only now: 130 ms that commands which look at files need not wait

    check_duckdb()
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise StoreError(f"the store's path is not UTF-8, as DuckDB requires: {path!a}") from None
    return duckdb


def _version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """The layout of this store; 0 if it is still empty. Raises StoreError for what is not ours."""
    try:
        row = connection.execute(f"SELECT version, made_by FROM {schema.META}").fetchone()
    except _duckdb(path).CatalogException:  # only then: to list the tables takes 10 ms
        if connection.execute("SELECT 1 FROM duckdb_tables() LIMIT 1").fetchone() is None:
            return 0
        raise StoreError(f"{path} is a DuckDB database, but not a store of acp-trace") from None
    version, made_by = row or (0, "")
    if version > schema.VERSION:
        raise StoreError(
            f"the store has layout {version}, made by acp-trace {made_by}; this acp-trace "
            f"{__version__} knows layout {schema.VERSION}: please update acp-trace"
        )
    return int(version)


def _is_locked(error: Exception) -> bool:
    """Whether others have the database. The word alone does not say so: the path may have it."""
    return "Could not set lock" in str(error)


def _first(error: Exception) -> str:
    return str(error).partition("\n")[0]
