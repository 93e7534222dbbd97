"""A writer that is killed in the middle of a block: the store opens again, with all that was in it."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import duckdb
import pytest

from acp_trace.store import export
from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import StoreError
from acp_trace.store.load import load
from tests.support import trace

#: The first block, behind three headers, holds what describes the tables; so much of it was written.
_AT, _WRITTEN = 3 * 4096, 8 * 4096
_FILES = {name: trace(("client", {"n": name}), ("agent", {"n": 2}), id=name) for name in ("first", "second")}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a store whose loader was killed while it wrote its first block; the log of what it had loaded is there."""
    tmp_path = tmp_path_factory.mktemp("made")
    store, wal = tmp_path / "store.duckdb", tmp_path / "store.duckdb.wal"
    for name, data in _FILES.items():
        (tmp_path / name).write_bytes(data)
    with writing(store) as connection:
        load(connection, tmp_path / "first")
    with writing(store) as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        load(connection, tmp_path / "second")
    before, log = bytearray(store.read_bytes()), wal.read_bytes()
    with writing(store) as connection:
        connection.execute("CHECKPOINT")
    after = store.read_bytes()
    part = slice(_AT, _AT + _WRITTEN)
    assert before[part] != after[part]
    before[part] = after[part]
    store.write_bytes(before)
    wal.write_bytes(log)
    with pytest.raises(duckdb.Error, match="computed checksum"):
        duckdb.connect(store, read_only=True)
    return tmp_path


@pytest.fixture
def torn(made: Path, tmp_path: Path) -> Path:
    """The store of `made`, for one test."""
    return shutil.copytree(made, tmp_path / "home") / "store.duckdb"


def _exported(store: Path) -> dict[str, bytes]:
    return {name: b"".join(export.file(partial(reading, store), name)) for name in _FILES}


@pytest.mark.parametrize("read_only", [True, False])
def test_a_block_that_was_written_in_part(torn: Path, read_only: bool) -> None:
    """Whoever opens the store next finds all traces, also the one that was only in the log."""
    with reading(torn, apart=True) if read_only else writing(torn) as connection:
        found = connection.execute("SELECT trace_id FROM traces ORDER BY ALL").fetchall()
    assert found == [(name,) for name in _FILES]
    assert _exported(torn) == _FILES
    beside = {*_FILES, torn.name, *([f"{torn.name}.wal"] if read_only else [])}
    assert {one.name for one in torn.parent.iterdir()} == beside


def test_what_nobody_was_writing_is_damage(torn: Path) -> None:
    """Without a log, a wrong checksum says that the disk lost something: nothing is changed."""
    Path(f"{torn}.wal").unlink()
    _stays(torn)


def test_a_trace_that_is_another_one(torn: Path) -> None:
    """A byte in the text of a trace has changed as well: no checksum makes that right."""
    data = torn.read_bytes()
    text = json.dumps({"n": "first"}, separators=(",", ":")).encode()
    (at,) = [at for at in range(len(data)) if data.startswith(text, at)]
    torn.write_bytes(data[:at] + b"[" + data[at + 1 :])
    _stays(torn)


def _stays(store: Path) -> None:
    before = store.read_bytes()
    with pytest.raises(StoreError, match=r"cannot open the store: .*checksum"), reading(store):
        pass
    assert store.read_bytes() == before
