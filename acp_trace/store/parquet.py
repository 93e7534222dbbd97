"""One trace as Parquet: a file for each table of the store, by DuckDB's COPY, typed and compressed with zstd.

The trace gets a store of its own for that, which is thrown away: other processes can go on with the common
one, whose connections may not write files.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import duckdb

from acp_trace import __version__
from acp_trace.store import schema
from acp_trace.store.connect import NO_BAR
from acp_trace.store.errors import StoreError
from acp_trace.store.literals import quoted
from acp_trace.store.of_files import store_of

#: How a directory is called until it is whole.
_PART = ".acp-trace-"


def write(pieces: Iterable[bytes], directory: Path, scratch: Path) -> int:
    """Writes the tables of a trace, which comes as its lines, into a new directory: how many bytes in all.

    `scratch`: an empty directory of one's own. The directory is there whole or not at all. Raises OSError,
    and StoreError for a trace that cannot be loaded.
    """
    trace = scratch / "trace.jsonl"
    with open(trace, "wb") as stream:
        stream.writelines(pieces)
    store = store_of([trace], scratch)
    part = directory.with_name(f"{_PART}{os.urandom(6).hex()}")
    part.mkdir(mode=0o700)
    try:
        size = _copy(store, part)
        os.rename(part, directory)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return size


def _copy(store: Path, directory: Path) -> int:
    """The bytes of all files."""
    about = f"{{acp_trace: {quoted(__version__)}, acp_trace_store: {quoted(str(schema.VERSION))}}}"
    size = 0
    try:
        with duckdb.connect(store, read_only=True) as connection:
            connection.execute(NO_BAR)
            for table in schema.TABLES:
                file = directory / f"{table.name}.parquet"
                options = f"FORMAT parquet, COMPRESSION zstd, KV_METADATA {about}"
                connection.execute(f"COPY {table.name} TO {quoted(str(file))} ({options})")
                file.chmod(0o600)
                size += file.stat().st_size
    except duckdb.Error as error:
        raise StoreError(f"the tables cannot be written: {str(error).partition(chr(10))[0]}") from None
    return size
