"""Into the store and back: byte for byte, once, whole or not at all."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest

from acp_trace.store import export, read
from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import Conflict
from acp_trace.store.load import Loaded, load
from tests.support import DEADLINE_S, KILLED, PYTHON, TRACES, Home, analyzed, header, line, trace, until


def _load(home: Home, path: Path) -> Loaded:
    with writing(home.store) as connection:
        return load(connection, path)


def _exported(home: Home, trace_id: str) -> bytes:
    return b"".join(export.file(partial(reading, home.store), trace_id))


_BIG = trace(
    ("client", {"id": 10**40, "method": "a", "params": {"sessionId": "s"}}),
    ("agent", {"id": 10**40, "error": {"code": 10**40, "message": "x"}}),
    (
        "agent",
        {
            "method": "session/update",
            "params": {"sessionId": "s", "update": {"sessionUpdate": "usage_update", "used": 10**40}},
        },
    ),
    end=False,
) + b"".join(
    line(t=2**62, **{key: {"frames": 2**52, "bytes": 2**52, "exit_code": 10**40, "signal": -(10**40)}})
    for key in [*["gap"] * 3000, "end"]
)

_ODD = (
    header()
    + b'{"t":1,"from":"client","frame":{"a":1e5}\r}\n'
    + b'{"from": "agent", "t": 2, "frame": {}, "extra": 1}\n'
    + line(t=3, **{"from": "agent"}, text="npm \x00 WARN")
    + b'{"t":4,"from":"agent","base64":"//8="}\n'
    + b"\n\xff garbage\n"
    + b'{"t":5,"from":"agent","frame":"\\ud83d"}\n'
    + b'{"t":5,"from":"agent","frame":{"last":1},"partial":true}\n'
    + line(t=6, log="log")
    + b'{"t":7,"later":1}\n{"t":8,"from":"agent","frame":{"x":1}}\n'
    + b'{"t":9,"torn'
)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_real_traces_come_back_byte_for_byte_with_the_same_facts(home: Home, path: Path) -> None:
    """Load, then export; and what the store says of a trace is what the analyser says."""
    loaded = _load(home, path)
    data = path.read_bytes()
    assert _exported(home, loaded.trace_id) == data
    facts, frames = analyzed(data)
    with reading(home.store) as connection:
        assert read.trace_facts(connection, loaded.trace_id) == facts
    assert list(read.frames(partial(reading, home.store), loaded.trace_id)) == frames


@pytest.mark.parametrize(
    "data", [_ODD, _ODD + b"\n", _ODD[len(header()) :], trace(("client", {}))[:-1], header(id="last; --"), _BIG],
    ids=["odd", "odd, ended", "no header", "no newline at the end", "odd id", "big numbers"],
)  # fmt: skip
def test_odd_files_come_back_byte_for_byte(home: Home, tmp_path: Path, data: bytes) -> None:
    """Other layouts, carriage returns, garbage, torn ends, no header: nothing is tidied up."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    loaded = _load(home, path)
    assert _exported(home, loaded.trace_id) == data
    assert list(read.frames(partial(reading, home.store), loaded.trace_id)) == analyzed(data)[1]
    with reading(home.store) as connection:
        facts = read.trace_facts(connection, loaded.trace_id)
    assert facts.trace.damaged == analyzed(data)[0].trace.damaged


def test_what_one_side_sent_comes_back(home: Home, tmp_path: Path) -> None:
    """The byte stream of a direction, with its last line unfinished."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(_ODD)
    trace_id = _load(home, path).trace_id
    stream = b"".join(export.stream(read.frames(partial(reading, home.store), trace_id), "agent"))
    assert stream == b' {}\nnpm \x00 WARN\n\xff\xff\n"\\ud83d"\n{"last":1}{"x":1}\n'.lstrip()
    assert (
        b"".join(export.stream(read.frames(partial(reading, home.store), trace_id), "client"))
        == b'{"a":1e5}\r\n'
    )


def test_loading_again_changes_nothing(home: Home, tmp_path: Path) -> None:
    """Idempotent: the same file is already there."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace(("client", {}), ("agent", {})))
    assert [_load(home, path).state for _ in range(3)] == ["loaded", "already there", "already there"]
    with reading(home.store) as connection:
        counts = connection.execute("SELECT (SELECT count(*) FROM traces), (SELECT count(*) FROM frames)")
        assert counts.fetchone() == (1, 2)


def test_a_longer_recording_replaces_its_beginning_and_another_is_refused(home: Home, tmp_path: Path) -> None:
    """A recorder that was taken for dead may have written on; a different trace is no continuation."""
    path, whole = tmp_path / "t.jsonl", trace(("client", {}), ("agent", {}))
    path.write_bytes(whole[:-20])
    _load(home, path)
    path.write_bytes(whole)
    assert _load(home, path).state == "replaced"
    assert _exported(home, _load(home, path).trace_id) == whole
    path.write_bytes(whole[:-30])  # a copy from earlier on
    assert _load(home, path).state == "already there"
    path.write_bytes(trace(("agent", {}), ("agent", {}), ("agent", {})))
    with pytest.raises(Conflict, match="another trace with the id 20261120T130501Z-7f3a9c"):
        _load(home, path)
    assert _exported(home, "20261120T130501Z-7f3a9c") == whole


@pytest.mark.parametrize(
    "more",
    [
        line(t=9, **{"from": "agent"}, frame={"forged": True}),
        line(t=9, **{"from": "agent"}, frame={"forged": True}) + line(t=10, end={"exit_code": 0}),
        b"\n",
        b'{"t":9,"from":"agent","fra',
        line(t=9, end={"exit_code": 0}),
    ],
    ids=["a frame", "a frame and an end", "a blank line", "a torn line", "an end"],
)
def test_what_comes_after_the_end_of_a_trace_is_refused(home: Home, tmp_path: Path, more: bytes) -> None:
    """Its recorder wrote nothing more; whoever did cannot replace the whole trace with a longer one."""
    path, whole = tmp_path / "t.jsonl", trace(("client", {}), ("agent", {}))
    path.write_bytes(whole)
    loaded = _load(home, path)
    path.write_bytes(whole + more)
    with pytest.raises(Conflict, match=rf"continues after the end of {loaded.trace_id}"):
        _load(home, path)
    assert _exported(home, loaded.trace_id) == whole


@pytest.mark.slow
def test_a_loader_killed_at_any_point_leaves_all_or_nothing(home: Home, tmp_path: Path) -> None:
    """Kill -9 of the loader at points spread over its whole run; the next load always succeeds."""
    frames = [("agent", {"jsonrpc": "2.0", "method": "x", "params": {"n": n}}) for n in range(6000)]
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace(*frames))
    code = (
        "import sys, os, signal\n"
        "from pathlib import Path\n"
        "import acp_trace.store.load as load\n"
        "from acp_trace.store.connect import writing\n"
        "stop, count = int(sys.argv[3]), 0\n"
        "def counted(plain):\n"
        "    def run(*args):\n"
        "        global count\n"
        "        count += 1\n"
        "        if count == stop: os.kill(os.getpid(), 9)\n"
        "        return plain(*args)\n"
        "    return run\n"
        "import acp_trace.store.rows as rows\n"
        "import acp_trace.store.collected_rows as collected_rows\n"
        "collected_rows.BATCH = 1000\n"
        "rows.insert = counted(rows.insert)\n"
        "rows.Rows.flush = counted(rows.Rows.flush)\n"
        "rows.Rows.wait = counted(rows.Rows.wait)\n"
        "with writing(Path(sys.argv[1])) as connection: load.load(connection, Path(sys.argv[2]))\n"
    )
    killed = 0
    for stop in (1, 9, 17, 29, 30):  # 30: all is written, and not yet committed
        argv = [*PYTHON, "-c", code, str(home.store), str(path), str(stop)]
        ended = subprocess.run(argv, check=False, capture_output=True, timeout=DEADLINE_S).returncode
        killed += ended == KILLED
        with reading(home.store) as connection:
            row = connection.execute(
                "SELECT (SELECT count(*) FROM traces), (SELECT count(*) FROM frames), "
                "(SELECT count(*) FROM loads)"
            ).fetchone()
        assert row in ((0, 0, 0), (1, 6000, 1)), stop
    assert killed >= 4
    assert _load(home, path).trace_id == "20261120T130501Z-7f3a9c"
    assert _exported(home, "20261120T130501Z-7f3a9c") == path.read_bytes()


@pytest.mark.slow
def test_sweeping_by_many_processes_at_once_loads_each_trace_once(home: Home) -> None:
    """Every command loads what waits; together they wait for one another and lose nothing."""
    home.spool.mkdir(parents=True)
    for number in range(6):
        (home.spool / f"t{number}.jsonl").write_bytes(trace(("client", {"n": number}), id=f"t{number}"))
    argv = [*PYTHON, "-m", "acp_trace", "ls", "--json"]
    running = [
        subprocess.Popen(argv, env=home.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in running:
        out, err = process.communicate(timeout=DEADLINE_S * 2)
        assert (process.returncode, err) == (0, b"")
        assert out.count(b'"state"') == 6
    assert not home.spooled()
    with reading(home.store) as connection:
        assert connection.execute("SELECT count(*) FROM frames").fetchone() == (6,)


def test_ls_and_show_work_while_recorders_run(home: Home) -> None:
    """Two editors at once, and someone looking on."""
    echo = [*PYTHON, "-c", "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"]
    with home.start(echo) as one, home.start(echo) as two:
        for recording in (one, two):
            recording.say(b'{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}\n')
            recording.hear()
        rows = home.json("ls")
        assert [row["state"] for row in rows] == ["live", "live"]
        assert home.json("show", "last~1")["trace"]["frames"] == {"client": 1, "agent": 1}
        assert "live" in home.run("show")
        one.finish()
        until(lambda: {row["state"] for row in home.json("ls")} == {"live", "complete"}, "the end of one")
        assert home.json("show", rows[0]["id"])["trace"]["id"] == rows[0]["id"]
        two.finish()
    assert [row["state"] for row in home.json("ls")] == ["complete", "complete"]
