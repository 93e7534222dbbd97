"""A trace that another process reads: the same rows, and whatever happens to that process, all of them, once."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from acp_trace.store import collected_rows, parallel_fill, schema
from acp_trace.store.connect import writing
from acp_trace.store.load import Loaded, load
from acp_trace.trace import helper
from acp_trace.trace.files import open_trace
from acp_trace.trace.inputs import Unreadable
from tests.faults.stage import belonging
from tests.store.all_tables import ODD, Tables, all_tables
from tests.support import DEADLINE_S, KILLED, PYTHON, SAMPLES, Home, trace, until
from tests.trace.capturing import block, capture

_FRAMES = trace(*[("agent", {"jsonrpc": "2.0", "method": "x", "params": {"n": n}}) for n in range(6000)])


@pytest.fixture(autouse=True)
def readers(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every trace is large enough for a process; those that were started."""
    monkeypatch.setattr(parallel_fill, "LARGE", 0)
    monkeypatch.setattr(helper, "cores", lambda: 2)
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return started


def _alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Loaded], Tables]:
    monkeypatch.setattr(helper, "cores", lambda: 1)
    return all_tables([path])


@pytest.fixture(params=["odd", "no header", *[path.name for path in SAMPLES[:2]]])
def any_trace(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Real ones, and some with all that can be wrong."""
    made = {"odd": ODD, "no header": ODD.partition(b"\n")[2]}.get(request.param)
    if made is None:
        return next(path for path in SAMPLES if path.name == request.param)
    path = tmp_path / "t.jsonl"
    path.write_bytes(made)
    return path


def test_the_rows_are_the_same(
    any_trace: Path, readers: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every table, row for row, and what is said of the trace."""
    found = all_tables([any_trace])
    assert len(readers) == 1
    assert found == _alone(any_trace, monkeypatch)
    assert len(readers) == 1


def test_how_far_it_has_come_is_told(tmp_path: Path) -> None:
    """As bytes of the file, which never become fewer, up to all of them."""
    path, told = tmp_path / "t.jsonl", list[int]()
    path.write_bytes(_FRAMES)
    with duckdb.connect() as connection:
        for statement in schema.uncommented():
            connection.execute(statement)
        load(connection, path, told.append)
    assert len(told) > 5
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size


_RUBBISH = "print('hello' * 100)"
_OTHER_VERSION = (
    "import acp_trace; acp_trace.__version__ = '0.0.1'\n"
    "from acp_trace.store import collected_rows, fill_process\n"
    "collected_rows.fact_rows = lambda *_: []\n"
    "fill_process.main([])"
)
_KILLED = (
    "import os\n"
    "from acp_trace.store import fill_process\n"
    "plain, count = fill_process.send, 0\n"
    "def send(*args):\n"
    "    global count\n"
    "    count += 1\n"
    "    if count == {}: os.kill(os.getpid(), 9)\n"
    "    plain(*args)\n"
    "fill_process.send = send\n"
    "fill_process.main([])"
)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("raise SystemExit(1)", id="it ends at once", marks=pytest.mark.slow),
        pytest.param(_RUBBISH, id="it says something else"),
        pytest.param(_OTHER_VERSION, id="it is another version", marks=pytest.mark.slow),
        pytest.param(_KILLED.format(1), id="killed as it begins", marks=pytest.mark.slow),
        pytest.param(_KILLED.format(4), id="killed in between"),
        pytest.param(
            _KILLED.format(7), id="killed before it says that it is through", marks=pytest.mark.slow
        ),
    ],
)
def test_what_the_other_process_does_not_do_is_done_here(
    code: str,
    tmp_path: Path,
    readers: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not one row is missing, none is there twice, and nobody hears of it."""
    monkeypatch.setattr(collected_rows, "BATCH", 1500)  # so that some are written, and some wait
    path = tmp_path / "t.jsonl"
    path.write_bytes(_FRAMES)
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -EP -c {shlex.quote(code)}\n")
    program.chmod(0o755)
    expected = _alone(path, monkeypatch)
    monkeypatch.setattr(helper, "cores", lambda: 2)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", str(program))
        found = all_tables([path])
    assert found == expected
    assert len(readers) == 1
    assert readers[0].returncode is not None


def test_without_a_python_to_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that has Python inside of it may not know one."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(ODD)
    expected = _alone(path, monkeypatch)
    monkeypatch.setattr(helper, "cores", lambda: 2)
    for nothing in (str(tmp_path / "nothing"), "", None):
        monkeypatch.setattr(sys, "executable", nothing)
        assert all_tables([path]) == expected


def test_what_cannot_be_read_is_told_as_ever(tmp_path: Path) -> None:
    """The same error, from this process."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"{}\n" * 100)
    with pytest.raises(Unreadable, match=r"t\.jsonl is not a trace: line 1 is not a header"):
        all_tables([path])


def test_ctrl_c_ends_both(
    home: Home, tmp_path: Path, readers: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process is over at once, and the store has nothing of the trace."""
    monkeypatch.setattr(collected_rows, "BATCH", 1000)
    path = tmp_path / "t.jsonl"
    path.write_bytes(_FRAMES)

    def interrupt(position: int) -> None:
        if position > len(_FRAMES) // 2:
            raise KeyboardInterrupt

    with writing(home.store) as connection:
        with pytest.raises(KeyboardInterrupt):
            load(connection, path, interrupt)
        assert readers[0].returncode is not None
        assert connection.execute("SELECT count(*) FROM frames").fetchone() == (0,)
        assert load(connection, path).frames == 6000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc says which processes there are")
def test_the_other_process_does_not_outlive_a_killed_loader(home: Home, tmp_path: Path) -> None:
    """Kill -9, with rows on their way: the next load finds nothing, and loads all."""
    path, mark = tmp_path / "t.jsonl", f"MARK={tmp_path}"
    path.write_bytes(_FRAMES)
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from acp_trace.store import collected_rows, parallel_fill\n"
        "from acp_trace.trace import helper\n"
        "from acp_trace.store.connect import writing\n"
        "from acp_trace.store.load import load\n"
        "parallel_fill.LARGE, collected_rows.BATCH, helper.cores = 0, 1000, lambda: 2\n"
        "def kill(position):\n"
        "    if position > 200_000: os.kill(os.getpid(), 9)\n"
        "with writing(Path(sys.argv[1])) as connection: load(connection, Path(sys.argv[2]), kill)\n"
    )
    argv = [*PYTHON, "-c", code, str(home.store), str(path)]
    environment = {**os.environ, "MARK": str(tmp_path)}
    ended = subprocess.run(argv, check=False, timeout=DEADLINE_S, env=environment)
    assert ended.returncode == KILLED
    until(lambda: not belonging(mark.encode()), "the end of the other process")
    with writing(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM frames").fetchone() == (0,)
        assert load(connection, path).frames == 6000


def test_small_traces_pipes_and_one_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process is started only where it pays, and where the file can be read twice."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(ODD)
    with open_trace(path)[1] as lines:
        assert parallel_fill.is_worthwhile(lines)
        monkeypatch.setattr(helper, "cores", lambda: 1)
        assert not parallel_fill.is_worthwhile(lines)
        monkeypatch.setattr(helper, "cores", lambda: 2)
        monkeypatch.setattr(parallel_fill, "LARGE", len(ODD) + 1)
        assert not parallel_fill.is_worthwhile(lines)


def test_a_capture_is_read_as_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one of a killed recorder, whose end is cut."""
    path = tmp_path / "t.capture"
    path.write_bytes(capture(*[block(1 + n % 2, b'{"n":%d}\n' % n, n * 100) for n in range(3000)])[:-7])
    assert all_tables([path]) == _alone(path, monkeypatch)
