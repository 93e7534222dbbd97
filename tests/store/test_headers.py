"""Whether a database is opened as it is, and not as it was before another process wrote."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import duckdb
import pytest

from acp_trace.store import connect, headers
from acp_trace.store.connect import at_once, reading, writing
from acp_trace.store.load import load
from tests.support import DEADLINE_S, PYTHON, Home, trace

_LOAD = """
import sys
from pathlib import Path
from acp_trace.store.connect import writing
from acp_trace.store.load import load
with writing(Path(sys.argv[1])) as connection: load(connection, Path(sys.argv[2]))
"""
_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError: print("taken")
    else: print("free")
"""


def _other_process(code: str, *arguments: Path) -> str:
    done = subprocess.run(
        [*PYTHON, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=True,
    )
    return done.stdout.strip()


def _trace(folder: Path, name: str) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_bytes(trace(("client", {"n": name}), id=name))
    return path


@pytest.mark.parametrize(
    ("opened", "is_refused"),
    [(reading, False), (reading, True), (writing, False), (writing, True), (at_once, False)],
)
def test_what_was_opened_while_another_process_wrote_is_opened_again(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: object, is_refused: bool
) -> None:
    """DuckDB may have seen what was there before: with that, it would write over what the other one wrote."""
    with writing(home.store) as connection:
        load(connection, _trace(tmp_path, "before"))
    meanwhile = [_trace(tmp_path, "meanwhile")]
    really, connections = connect._connect, []

    def between(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        stale = bool(meanwhile)
        if stale:
            _other_process(_LOAD, home.store, meanwhile.pop())
        if stale and is_refused:
            raise duckdb.IOException("Could not read enough bytes from file")
        connections.append(really(path, read_only=read_only))
        return connections[-1]

    monkeypatch.setattr(connect, "_connect", between)
    with opened(home.store) as connection:  # type: ignore[operator]
        found = connection.execute("SELECT trace_id FROM traces ORDER BY ALL").fetchall()
        assert connection is connections[-1]
    assert found == [("before",), ("meanwhile",)]
    assert len(connections) == (1 if is_refused else 2)


def test_looking_at_the_headers_drops_no_lock(home: Home) -> None:
    """Another thread that is done with the file does not let go of it for all."""
    with writing(home.store):

        def look() -> None:
            with headers.watched(home.store) as are_same:
                assert are_same()

        other = threading.Thread(target=look)
        other.start()
        other.join()
        assert _other_process(_LOCK, home.store) == "taken"
    assert _other_process(_LOCK, home.store) == "free"


def test_each_checkpoint_changes_the_headers(home: Home) -> None:
    """What the comparison stands on: also where the other one changed as little as can be."""
    with writing(home.store):
        pass
    with headers.watched(home.store) as are_same:
        with duckdb.connect(home.store) as connection:
            assert are_same()
            connection.execute("CREATE TABLE one AS SELECT 1")
        assert not are_same()


def test_what_cannot_be_read_is_left_to_duckdb(tmp_path: Path) -> None:
    """Which has words for it."""
    with headers.watched(tmp_path / "missing") as are_same:
        assert are_same()
