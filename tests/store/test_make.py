"""A new store: whole, or not there."""

from __future__ import annotations

import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import duckdb
import pytest

from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import StoreError
from acp_trace.store.make import make
from tests.posix import limit
from tests.support import ACP_TRACE, DEADLINE_S, Home, trace

_TRACE = trace(("client", {"n": 1}))


@pytest.mark.parametrize("size", [0, 1, 4096, 8192, 12288, 200_000])
def test_a_disk_that_fills_while_the_store_is_made_loses_nothing(home: Home, size: int) -> None:
    """One line and 3; what waits stays in the spool, and with room again the next command loads it."""
    home.spool.mkdir(parents=True)
    (home.spool / "t.jsonl").write_bytes(_TRACE)
    ended = subprocess.run(
        [ACP_TRACE[0], "-B", *ACP_TRACE[1:], "load"],  # else compiled modules are cut off, too, for everybody
        env=home.environment,
        capture_output=True,
        preexec_fn=limit("FSIZE", size),
        timeout=DEADLINE_S,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (3, b"")
    assert ended.stderr.startswith(b"acp-trace: cannot make the store: ")
    assert ended.stderr.count(b"\n") == 1
    assert [path.name for path in home.path.iterdir()] == ["spool"]
    assert (home.spool / "t.jsonl").read_bytes() == _TRACE
    with writing(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (0,)


@pytest.mark.parametrize("size", [0, 4096, 8192, 12287])
def test_a_piece_of_a_store_is_replaced(home: Home, size: int) -> None:
    """It is what earlier versions left on a full disk: not one table fits into it."""
    with writing(home.store):
        pass
    with open(home.store, "r+b") as stream:
        stream.truncate(size)
    with reading(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (0,)
    assert home.store.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in home.path.iterdir()] == [home.store.name]


@pytest.mark.parametrize("data", [b"my notes", b"\0" * 12288, b"x" * 4096])
def test_no_file_of_somebody_else_is_replaced(home: Home, data: bytes) -> None:
    """Short files with something in them, and long ones, stay as they are."""
    home.path.mkdir()
    home.store.write_bytes(data)
    for opened in (reading, writing):
        with pytest.raises(StoreError, match="cannot open the store"), opened(home.store):
            pass
    assert home.store.read_bytes() == data


def test_a_piece_with_a_log_is_left_alone(home: Home) -> None:
    """Where there was a log there was a database: nobody but its owner can say what it is worth."""
    home.path.mkdir()
    home.store.touch()
    log = Path(f"{home.store}.wal")
    log.write_bytes(b"data")
    why = r"is cut off, but there is data in .*wal: move both files away"
    with pytest.raises(StoreError, match=why), reading(home.store):
        pass
    assert (home.store.read_bytes(), log.read_bytes()) == (b"", b"data")


def test_the_log_of_a_store_that_was_removed_goes(home: Home) -> None:
    """It would be taken for the new one's."""
    home.path.mkdir()
    Path(f"{home.store}.wal").write_bytes(b"data")
    with reading(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (0,)


def test_a_piece_that_somebody_has_open_is_waited_for(home: Home, tmp_path: Path) -> None:
    """It may just be becoming a database, in an earlier version's hands."""
    home.path.mkdir()
    home.store.touch()
    ready = tmp_path / "ready"
    with duckdb.connect(ready) as connection:
        connection.execute("CREATE TABLE theirs (a INT)")
    released = threading.Event()
    code = (
        "import fcntl, sys\n"
        f"stream = open({str(home.store)!r}, 'r+b')\n"
        "fcntl.lockf(stream, fcntl.LOCK_EX)\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
        f"stream.write(open({str(ready)!r}, 'rb').read())\n"
    )
    holder = subprocess.Popen([*ACP_TRACE[:-2], "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()

    def fill(new: Path) -> None:
        new.write_bytes(b"ours" * 5000)
        released.set()

    with ThreadPoolExecutor() as threads:
        made = threads.submit(make, home.store, fill)
        assert released.wait(DEADLINE_S)
        holder.communicate(timeout=DEADLINE_S)
        made.result(DEADLINE_S)
    assert home.store.read_bytes() == ready.read_bytes()


def test_many_make_it_at_once(home: Home) -> None:
    """One of them wins, and nobody writes into another one's."""
    home.path.mkdir()
    start = threading.Barrier(6)

    def fill(number: int, new: Path) -> None:
        new.write_bytes(bytes([number]) * 20_000)
        start.wait(DEADLINE_S)

    def run(number: int) -> bytes:
        make(home.store, partial(fill, number))
        return home.store.read_bytes()

    with ThreadPoolExecutor(6) as threads:
        seen = set(threads.map(run, range(1, 7)))
    assert len(seen) == 1
    assert len(seen.pop()) == 20_000
    assert [path.name for path in home.path.iterdir()] == [home.store.name]
