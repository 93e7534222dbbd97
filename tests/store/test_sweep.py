"""Loading many traces: others get their turn."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

from acp_trace.store import load, rows, sweep
from acp_trace.store.connect import reading, writing
from acp_trace.trace.home import Home as Folder
from tests.posix import named_pipe
from tests.support import ACP_TRACE, DEADLINE_S, Home, trace


@pytest.mark.slow
@pytest.mark.parametrize(("takes_s", "turns"), [(0.1, [7]), (0.4, [3, 3, 1]), (5.0, [1] * 7)])
def test_the_store_is_let_go_again_and_again(
    home: Home, monkeypatch: pytest.MonkeyPatch, takes_s: float, turns: list[int]
) -> None:
    """Whoever waits for it waits for a second or one trace, not for all of them."""
    home.spool.mkdir(parents=True)
    for number in range(7):
        (home.spool / f"t{number}.jsonl").write_bytes(trace(("client", {}), id=f"t{number}"))
    now, loaded, plain = 0.0, list[int](), load.load_among

    @contextmanager
    def turn(path: Path, **more: Any) -> Iterator[Any]:
        loaded.append(0)
        with writing(path, **more) as connection:
            yield connection

    def load_one(*args: Any) -> Any:
        nonlocal now
        loaded[-1] += 1
        now += takes_s
        return plain(*args)

    def sleep(seconds: float) -> None:
        with reading(home.store) as connection:  # nobody has it
            seen.append(connection.execute("SELECT count(*) FROM traces").fetchall()[0][0])
        assert seconds > 0.15  # the longest time between two tries of who waits (`connect`)

    seen = list[int]()
    monkeypatch.setattr(sweep, "writing", turn)
    monkeypatch.setattr(load, "load_among", load_one)
    clock = SimpleNamespace(monotonic=lambda: now, time=lambda: 0.0, sleep=sleep)
    monkeypatch.setattr(sweep, "time", clock)
    found = sweep.sweep(Folder(home.path), patience=0)
    assert loaded == turns
    assert seen == list(accumulate(turns))[:-1]
    assert ([one.trace_id for one in found.loaded], found.failed) == ([f"t{n}" for n in range(7)], [])
    assert not home.spooled()
    with reading(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (7,)


def test_a_file_is_there_until_its_rows_are_committed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small traces wait for each other: if the disk is full when they are written, none is lost."""
    home.spool.mkdir(parents=True)
    for number in range(3):
        (home.spool / f"t{number}.jsonl").write_bytes(trace(("client", {}), id=f"t{number}"))
    spooled = home.spooled()

    def full(*_: object) -> None:
        raise duckdb.IOException("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(rows, "insert", full)
        with pytest.raises(duckdb.IOException):
            sweep.sweep(Folder(home.path))
    assert home.spooled() == spooled
    found = sweep.sweep(Folder(home.path))
    assert [one.trace_id for one in found.loaded] == ["t0", "t1", "t2"]
    assert not home.spooled()


def test_a_pipe_is_read_before_the_store_is_opened(home: Home, tmp_path: Path) -> None:
    """Its writer may take its time, or want the store itself; what cannot be opened stops no other."""
    pipe, missing, file = tmp_path / "pipe", tmp_path / "missing", tmp_path / "file"
    named_pipe(pipe)
    file.write_bytes(trace(("client", {}), id="file"))

    def write() -> None:
        with open(pipe, "wb") as stream:
            with reading(home.store) as connection:  # nobody has it
                connection.execute("FROM traces")
            stream.write(trace(("client", {}), id="pipe"))

    writer = threading.Thread(target=write)
    writer.start()
    found = sweep.load_files(Folder(home.path), [missing, pipe, file])
    writer.join()
    assert [one.trace_id for one in found.loaded] == ["pipe", "file"]
    assert found.failed == [(missing, "No such file or directory")]


def test_a_loader_that_is_killed_leaves_no_copy_of_a_pipe(home: Home, tmp_path: Path) -> None:
    """It may be copying without end: the copy has no name, and goes with the process."""
    pipe, folder = tmp_path / "pipe", tmp_path / "tmp"
    named_pipe(pipe)
    folder.mkdir()
    loader = subprocess.Popen(
        [*ACP_TRACE, "load", str(pipe)], env={**home.environment, "TMPDIR": str(folder)}
    )
    try:
        with open(pipe, "wb") as stream:
            stream.writelines([b"x" * 65_536] * 40)  # far more than the pipe holds: the rest is in the copy
            loader.kill()
            loader.wait(DEADLINE_S)
            with suppress(BrokenPipeError):
                stream.flush()
    except BrokenPipeError:
        pass
    finally:
        loader.kill()
        loader.wait(DEADLINE_S)
    assert list(folder.iterdir()) == []
