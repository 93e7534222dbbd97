"""A trace file -> rows. All of a trace in one transaction: after a kill -9 it is there whole, or not at all.

Loading the same file again changes nothing. A file that continues a stored trace without an `end` (its
recorder was not dead after all) replaces it; what has its `end` is over. Which rows a trace has is the
concern of `fill`; those of a large trace are made by another process (`parallel_fill`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from acp_trace.store import export, parallel_fill, schema
from acp_trace.store.errors import Conflict
from acp_trace.store.fill import Digest, fill, loads_row
from acp_trace.store.ids import id_for
from acp_trace.store.rows_of_many import RowsOfMany
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.files import TraceFile, open_trace

if TYPE_CHECKING:
    import duckdb

_BLOCK = 1 << 20

_State: TypeAlias = Literal["loaded", "already there", "replaced"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result for one file."""

    trace_id: str
    state: _State
    frames: int
    complete: bool
    damaged: int
    torn_bytes: int


def load(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    tick: Callable[[int], None] | None = None,
) -> Loaded:
    """Load one trace file. Return the result. `tick` is called with how many of its bytes were read so far.

    Raises OSError, Unreadable, NewerFormat, Conflict and duckdb.Error, and then has changed nothing.
    """
    with RowsOfMany(connection) as rows:
        return load_among(rows, path, tick)


def load_among(
    rows: RowsOfMany, path: Path, tick: Callable[[int], None] | None = None, *, alone: bool = False
) -> Loaded:
    """As `load`, but the trace may wait among `rows` for others, to be committed with them.

    `alone`: no other process is started, however large the trace is.
    """
    name, lines = open_trace(path)
    with lines:
        digest = Digest()
        lines.on_read = digest.update
        source = TraceFile(lines, name)
        entries = source.entries(None if tick is None else lambda: tick(lines.position))
        first = next(entries, None)
        header = source.header
        trace_id = id_for(header.id if header else None, lambda: _digest(path).sha256)
        if trace_id in rows.waiting:
            rows.write()
        state = _compare(rows.connection, trace_id, path)
        if state == "already there":
            return _summary(rows.connection, trace_id, state)
        is_parallel = not alone and parallel_fill.is_worthwhile(lines)
        try:
            with rows.of(trace_id, replaces=state == "replaced"):
                if is_parallel:
                    filled = parallel_fill.fill(rows, lines, tick)
                    trace, size, sha256 = filled.trace, filled.size, filled.sha256
                else:
                    trace = fill(rows, source, chain([first] if first else [], entries))
                    size, sha256 = digest.size, digest.sha256
                rows.add(schema.LOADS, loads_row(size, sha256))
        except parallel_fill.NotFilled:
            return load_among(rows, path, tick, alone=True)
    frames = trace.frames_client + trace.frames_agent
    return Loaded(trace_id, state, frames, trace.complete, trace.damaged, trace.torn_bytes)


def _digest(path: Path, most: int | None = None) -> Digest:
    """That of a trace's lines, or of their first `most` bytes."""
    digest = Digest()
    with open_trace(path)[1] as lines:
        while block := lines.read(_BLOCK if most is None else min(_BLOCK, most - digest.size)):
            digest.update(block)
    return digest


def _begins_with(connection: duckdb.DuckDBPyConnection, trace_id: str, path: Path) -> bool:
    """Whether the stored file begins with what is in this one: a copy from earlier on."""
    with open_trace(path)[1] as lines:
        for piece in export.file(lambda: nullcontext(connection), trace_id):
            beginning = lines.read(len(piece))
            if not piece.startswith(beginning):
                return False
            if len(beginning) < len(piece):
                return True
    return True


def _has_end(connection: duckdb.DuckDBPyConnection, trace_id: str) -> bool:
    """Whether the stored file has an `end` anywhere: nothing that comes after it is of its recorder."""
    sql = f"SELECT count(*) FROM lines WHERE trace_id = ? AND kind = '{EntryKind.END}'"
    return connection.execute(sql, [trace_id]).fetchall() != [(0,)]


def _compare(connection: duckdb.DuckDBPyConnection, trace_id: str, path: Path) -> _State:
    """What loading the file does, given what is stored of this trace. Raises Conflict."""
    row = connection.execute("SELECT file_bytes, sha256 FROM loads WHERE trace_id = ?", [trace_id]).fetchone()
    if row is None:
        return "loaded"
    stored_size, stored = row
    digest = _digest(path)
    if stored == digest.sha256:
        return "already there"
    if digest.size > stored_size and _digest(path, stored_size).sha256 == stored:
        if _has_end(connection, trace_id):
            raise Conflict(
                f"{path}: continues after the end of {trace_id}, which the store already has completely; "
                f"`acp-trace rm {trace_id}` removes that one"
            )
        return "replaced"
    if digest.size < stored_size and _begins_with(connection, trace_id, path):
        return "already there"
    raise Conflict(
        f"{path}: the store has another trace with the id {trace_id}; "
        f"`acp-trace rm {trace_id}` removes that one"
    )


def _summary(connection: duckdb.DuckDBPyConnection, trace_id: str, state: _State) -> Loaded:
    row = connection.execute(
        "SELECT frames_client + frames_agent, complete, damaged, torn_bytes FROM traces WHERE trace_id = ?",
        [trace_id],
    ).fetchone()
    frames, complete, damaged, torn = row or (0, False, 0, 0)
    return Loaded(trace_id, state, frames, complete, damaged, torn)
