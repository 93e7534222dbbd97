"""Opening the store: waiting for whoever has it, and agreeing about versions.

One process that has the file open for writing locks out all others, and any reader locks out
writers. So everyone here opens late, works in one short go and closes.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace import __version__
from acp_trace.store import schema, upgrade
from acp_trace.store.errors import StoreBusy, StoreError
from acp_trace.store.private import private_files

if TYPE_CHECKING:
    import duckdb

#: How long to wait for another process. Loading holds the store longest: about 8 s a million frames.
#: Others who have it one after the other are a queue that moves: the patience begins anew with each.
PATIENCE_S = 15.0
LONGEST_S = 120.0
_SHUT_IN = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@contextmanager
def reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store, read-only and with no way to other files. Made where there is none yet.

    Raises StoreError.
    """
    while True:
        if not path.exists():
            with writing(path):
                pass
        try:
            connection = _connect(path, read_only=True)
        except FileNotFoundError:  # removed just now
            continue
        try:
            current = upgrade.is_up_to_date(connection, _version(connection, path))
            if current:
                yield connection
        finally:
            connection.close()
        if current:
            return
        with writing(path):  # empty, or from an older acp-trace
            pass


@contextmanager
def writing(path: Path, *, patience: float = PATIENCE_S) -> Iterator[duckdb.DuckDBPyConnection]:
    """The store, open for writing, with its tables made or brought up to date. Raises StoreError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with private_files():
        connection = _connect(path, read_only=False, patience=patience)
        try:
            path.chmod(0o600)
            upgrade.bring_up_to_date(connection, _version(connection, path))
            yield connection
        finally:
            connection.close()


def _connect(path: Path, *, read_only: bool, patience: float = PATIENCE_S) -> duckdb.DuckDBPyConnection:
    import duckdb  # only now: 130 ms that commands which look at files need not wait

    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise StoreError(f"the store's path is no UTF-8, which DuckDB needs: {path!a}") from None
    began = since = time.monotonic()
    last = ""
    wait = 0.005
    while True:
        try:
            return duckdb.connect(path, read_only=read_only, config=dict(_SHUT_IN))
        except duckdb.IOException as error:
            if read_only and not path.exists():
                raise FileNotFoundError(path) from None
            holder = re.search(r"lock is held in (.*?\(PID \d+\))", str(error))
            if "Could not set lock" not in str(error):
                raise StoreError(f"cannot open the store: {_first(error)}") from None
            who, now = holder[1] if holder else "another process", time.monotonic()
            if who != last:
                last, since = who, now
            if now - since >= patience or now - began >= LONGEST_S:
                raise StoreBusy(f"the store is in use by {who}; nothing is lost, try again: {path}") from None
        except duckdb.Error as error:
            raise StoreError(f"cannot open the store: {_first(error)}") from None
        time.sleep(wait * (0.5 + random.random()))
        wait = min(wait * 1.5, 0.1)


def _version(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """The layout of this store; 0 where it is still empty. Raises StoreError for what is not ours."""
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if not tables:
        return 0
    if schema.META not in tables:
        raise StoreError(f"{path} is a DuckDB database, but no store of acp-trace")
    found = connection.execute(f"SELECT version, made_by FROM {schema.META}").fetchone()
    version, made_by = found or (0, "")
    if version > schema.VERSION:
        raise StoreError(
            f"the store has layout {version}, made by acp-trace {made_by}; this acp-trace "
            f"{__version__} knows layout {schema.VERSION}: please update acp-trace"
        )
    return int(version)


def _first(error: Exception) -> str:
    return str(error).partition("\n")[0]
