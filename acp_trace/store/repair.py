"""A database whose last writer was killed in the middle of a block: its checksum is put right.

The description of the tables is in blocks of 256 KiB, and DuckDB writes each of them again in its place. A
piece of 4 KiB that is in use keeps its bytes, new data goes into free pieces, and a checksum over all of them
is at the start. The system ends a write between two pages when the process is killed (`kill -9`): new pieces
can precede old ones, under the checksum of neither. All data in use is there, but DuckDB never opens that
database again.

A checksum is put right only if a write-ahead log shows that a process was writing, and if each trace then
comes out with the digest that it was loaded with. That is tried on a copy first.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.store import export, schema
from acp_trace.store.aside import LOGS, aside
from acp_trace.store.errors import StoreError
from acp_trace.store.make import locked

if TYPE_CHECKING:
    import duckdb

_WRONG = re.compile(
    r"computed checksum (\d+) does not match stored checksum \d+ in block at location (\d+)", re.ASCII
)
#: More blocks than one are in the middle of a write only where several threads write.
_MOST = 16


def repaired(path: Path, error: Exception, connect: Callable[[Path], duckdb.DuckDBPyConnection]) -> bool:
    """Whether the database that could not be opened, for this error, can be opened now.

    `connect` opens a database read-only. False, and nothing is changed, if it is another error, if no write
    was under way, if another process has the database, or if a trace is not what it was.
    """
    if not _WRONG.search(str(error)) or not os.path.exists(f"{path}.wal"):
        return False
    try:
        # One descriptor: with any other that is closed, this process would lose its lock.
        with open(path, "r+b", buffering=0) as file, aside(path) as directory:
            if not locked(file.fileno()):
                return False
            copy = directory / path.name
            with open(copy, "wb") as stream:
                shutil.copyfileobj(file, stream, 1 << 20)
            for suffix in LOGS:
                if os.path.exists(f"{path}{suffix}"):
                    shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
            checksums = _checksums(copy, connect)
            for at, checksum in (checksums or {}).items():
                file.seek(at)
                file.write(checksum)
            os.fsync(file.fileno())
            return checksums is not None
    except OSError:
        return False


def _checksums(copy: Path, connect: Callable[[Path], duckdb.DuckDBPyConnection]) -> dict[int, bytes] | None:
    """The checksums, by their place, with which the copy is sound; None if none makes it sound."""
    import duckdb

    checksums: dict[int, bytes] = {}
    for _ in range(_MOST):
        try:
            with closing(connect(copy)) as connection:
                return checksums if _is_sound(connection) else None
        except (duckdb.Error, StoreError, ValueError, TypeError) as error:
            wrong = _WRONG.search(str(error))
            if wrong is None or int(wrong[2]) in checksums:
                return None
        checksums[int(wrong[2])] = int(wrong[1]).to_bytes(8, "little")
        with open(copy, "r+b") as stream:
            stream.seek(int(wrong[2]))
            stream.write(checksums[int(wrong[2])])
    return None


def _is_sound(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether every value can be read, and each trace is the file that it was loaded from, byte for byte."""
    for table in schema.TABLES:
        connection.execute(f"SELECT bit_xor(hash(one)) FROM {table.name} one").fetchall()
    for trace_id, digest in connection.execute("SELECT trace_id, sha256 FROM loads").fetchall():
        now = hashlib.sha256()
        for piece in export.file(lambda: nullcontext(connection), trace_id):
            now.update(piece)
        if now.hexdigest() != digest:
            return False
    return True
