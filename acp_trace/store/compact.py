"""Rewrite the database inside its own file, without what was removed.

DuckDB keeps the space of removed rows for later rows, and the old content stays readable until then. So the
free space is filled with numbers first. Then every table is copied behind all existing data, and the old
tables and the numbers are dropped. A second copy goes into the space at the front that is free now. The end
of the file, with the first copy, is cut off.

SQL does all of this, with the database open for writing and each copy in one transaction, so a killed process
leaves every trace where it was. (Replacing the file would be quicker by half, but a process that has just
opened the old file would then write to a file without a name.)
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.store import schema
from acp_trace.store.connect import writing
from acp_trace.store.errors import StoreError
from acp_trace.store.interruptible import InterruptibleConnection
from acp_trace.trace.counts import counted
from acp_trace.trace.os_errors import reason

if TYPE_CHECKING:
    import duckdb

#: What stays free beside the copy: recorders write to the same disk.
_ROOM = 64_000_000
#: Numbers are 8 bytes; a few blocks hold what describes the others, so it takes more than one go.
_NUMBER, _FILLS = 8, 4


class NotCompacted(Exception):
    """Removed data can still be in the file. The message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The result: the size of the database in bytes, before and after."""

    before_bytes: int
    after_bytes: int


def is_due(removed: int, wanted: bool | None) -> bool:
    """Whether to compact after `removed` traces were removed. `wanted`: the user's choice, if any."""
    return removed > 0 if wanted is None else wanted


def compact(store: Path, tick: Callable[[int, int], None] | None = None) -> Compacted:
    """Rewrite the database with only what is in its tables. Return its bytes before and after.

    `tick` is called now and then with the bytes written and about how many there will be. Other processes
    wait for the database meanwhile. Raises NotCompacted.
    """
    import duckdb

    try:
        with writing(store) as connection:
            shutil.rmtree(f"{store}.tmp", ignore_errors=True)  # what killed processes spilled
            before = os.stat(store).st_size
            _rewrite(connection, store, tick)
        return Compacted(before, os.stat(store).st_size)
    except (StoreError, OSError) as error:
        raise NotCompacted(reason(error)) from None
    except duckdb.Error as error:
        raise NotCompacted(str(error).partition("\n")[0]) from None


def _rewrite(
    connection: duckdb.DuckDBPyConnection, store: Path, tick: Callable[[int, int], None] | None
) -> None:
    connection.execute(f"DROP TABLE IF EXISTS {schema.FILLER}")
    connection.execute("CHECKPOINT")
    block, used, _ = _blocks(connection)
    needs = block * used
    if shutil.disk_usage(store.parent).free < needs + _ROOM:
        raise NotCompacted(f"the disk has no room for a copy of {counted(needs, 'byte')}")
    before, copied = os.stat(store).st_size, 0

    def look() -> None:
        if tick is not None:
            grown = max(os.stat(store).st_size - before, 0)
            tick(min(copied + grown, needs) if not copied else copied + needs // 2, 2 * needs)

    with closing(InterruptibleConnection(connection)) as shared:

        def run(*statements: str) -> None:
            for statement in statements:
                shared.execute(statement, look)

        drop = f"DROP TABLE IF EXISTS {schema.FILLER}"
        _fill(connection, run)
        for _ in range(2):
            run("BEGIN", *schema.rewritten(), "COMMIT", drop, "CHECKPOINT")
            copied += needs
        _fill(connection, run)
        run(drop, "CHECKPOINT")


def _fill(connection: duckdb.DuckDBPyConnection, run: Callable[..., None]) -> None:
    """Fill all free space with numbers."""
    run("PRAGMA force_compression = 'uncompressed'")
    for _ in range(_FILLS):
        block, _, free = _blocks(connection)
        if not free:
            break
        numbers = f"SELECT range::BIGINT AS number FROM range({free * block // _NUMBER})"
        run(
            f"CREATE TABLE IF NOT EXISTS {schema.FILLER} AS {numbers} LIMIT 0",
            f"INSERT INTO {schema.FILLER} {numbers}",
            "CHECKPOINT",
        )
    run("PRAGMA force_compression = 'auto'")


def _blocks(connection: duckdb.DuckDBPyConnection) -> tuple[int, int, int]:
    """The size of a block, how many are in use, and how many are free."""
    row = connection.execute("SELECT block_size, used_blocks, free_blocks FROM pragma_database_size()")
    size, used, free = row.fetchall()[0]
    return int(size), int(used), int(free)
