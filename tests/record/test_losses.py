"""When the trace cannot be written: the traffic goes on, the loss is counted, said once, and told."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from acp_trace.record import recorder
from acp_trace.system.pipes import set_blocking
from tests.posix import limit
from tests.support import ACP_TRACE, DEADLINE_S, Home, agent, entries_in, frames_in, lines_of, until

_ECHO = agent("for line in lines: say(line)\nsys.exit(6)")


@pytest.mark.parametrize("size", [5000, 100], ids=["no frame fits", "some frames fit"])
def test_a_full_disk_stops_no_traffic(home: Home, size: int) -> None:
    """A file-size limit stands in for the full disk. Exit code, bytes and order are the agent's."""
    frames = [b'{"n":%03d,"pad":"%s"}\n' % (n, b"x" * size) for n in range(200)]
    with home.start(["true"]) as first:  # Python cuts off what it compiles, too, and does not notice
        first.finish()
    home.spooled()[0].unlink()
    with home.start(_ECHO, preexec_fn=limit("FSIZE", 4000)) as recording:
        for frame in frames:  # one at a time: a piece of a frame may fit where the frame does not
            recording.say(frame)
            assert recording.hear() == frame
        out, err, code = recording.finish()
    assert (out, code) == (b"", 6)
    assert err.count(b"acp-trace: ") == 1
    assert b"File too large" in err
    (path,) = home.spooled()
    assert lines_of(path).endswith(b"}\n")
    found = home.json("show")["trace"]
    if size == 5000:  # then there is room for the gap and the footer
        assert found["complete"]
        assert found["lost"] == {"frames": 400, "bytes": 2 * 200 * (len(frames[0]) - 1)}
    else:  # without a footer nobody knows what came after the last line
        known = sum(found["frames"].values()) + found["lost"]["frames"]
        assert known == 400 if found["complete"] else known < 400


def test_the_gap_says_exactly_what_was_lost(home: Home, tmp_path: Path) -> None:
    """No folder at first; when it can be made, the gap tells frames and bytes, then all is recorded."""
    blocker = home.path
    blocker.parent.mkdir(parents=True, exist_ok=True)
    blocker.write_text("a file where the folder should be")
    with home.start(_ECHO) as recording:
        for number in range(5):
            recording.say(b'{"n":%d}\n' % number)
            assert recording.hear() == b'{"n":%d}\n' % number
        blocker.unlink()
        recording.say(b'{"n":5}\n')
        recording.hear()
        out, err, code = recording.finish()
    assert (out, code) == (b"", 6)
    assert err.count(b"acp-trace: cannot write the trace (File exists") == 1
    (path,) = home.spooled()
    entries = entries_in(path)
    assert "acp_trace" in entries[0]
    assert {folder.stat().st_mode & 0o777 for folder in (home.path, home.spool)} == {0o700}
    assert entries[1]["gap"] == {"frames": 10, "bytes": 70, "reason": "File exists"}
    assert [entry["frame"] for entry in frames_in(path)] == [{"n": 5}, {"n": 5}]
    lost = home.json("show")["trace"]["lost"]
    assert lost == {"frames": 10, "bytes": 70}


def test_a_deleted_spool_is_put_back_with_everything(home: Home) -> None:
    """The bytes of a deleted file are still the recorder's: nothing is lost."""
    with home.start(_ECHO) as recording:
        recording.say(b'{"n":1}\n')
        recording.hear()
        shutil.rmtree(home.spool)
        recording.say(b'{"n":2}\n')
        recording.hear()
        out, err, _ = recording.finish(b'{"n":3}\n')
    assert (out, err) == (b'{"n":3}\n', b"")
    (path,) = home.spooled()
    assert [entry["frame"]["n"] for entry in frames_in(path)] == [1, 1, 2, 2, 3, 3]
    assert entries_in(path)[-1]["end"]["frames"] == {"client": 3, "agent": 3}


def test_a_deleted_trace_that_cannot_be_put_back_is_said(home: Home) -> None:
    """One line, and the traffic is not disturbed."""
    with home.start(_ECHO) as recording:
        recording.say(b'{"n":1}\n')
        recording.hear()
        shutil.rmtree(home.path)
        home.path.write_text("in the way")
        out, err, code = recording.finish(b'{"n":2}\n')
    assert (out, code) == (b'{"n":2}\n', 6)
    assert err.count(b"acp-trace: the trace was deleted and cannot be restored") == 1


def test_a_store_held_by_another_process_stops_no_traffic(home: Home) -> None:
    """The recorder never opens the store; its loader gives up at once and loses nothing."""
    home.run("load")  # makes the store
    home.run("query", "SELECT 1")
    holding = agent(f"import duckdb; c = duckdb.connect({str(home.store)!r}); say(b'held\\n'); next(lines)")
    holder = subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    argv = [*ACP_TRACE, "record", "--", *_ECHO]  # with its loader
    done = subprocess.run(
        argv, input=b'{"n":1}\n', capture_output=True, env=home.environment, timeout=DEADLINE_S, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == (b'{"n":1}\n', b"", 6)
    background = home.outcome("load", "--background")
    assert (background.returncode, background.stderr) == (0, b"")
    assert len(home.spooled()) == 1
    holder.communicate(b"\n", timeout=DEADLINE_S)
    assert home.json("ls")[0]["frames"] == 2
    until(lambda: not home.spooled(), "the recorder's own loader, which may be at work only now")


def test_out_records_into_the_file_alone_and_keeps_earlier_ones(home: Home, tmp_path: Path) -> None:
    """An editor starts the same command again and again; no recording overwrites another."""
    out = tmp_path / "t.jsonl"
    for number in range(3):
        with home.start(_ECHO, "--out", str(out)) as recording:
            recording.finish(b'{"n":%d}\n' % number)
    kept = [frames_in(tmp_path / name)[0]["frame"]["n"] for name in ("t.1.jsonl", "t.2.jsonl", "t.jsonl")]
    assert kept == [0, 1, 2]
    assert not home.spooled()
    assert sorted(path.name for path in tmp_path.glob("t.*")) == ["t.1.jsonl", "t.2.jsonl", "t.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["home"]  # where --out wrote


def test_out_into_a_device(home: Home) -> None:
    """Nothing is renamed away that is no plain file."""
    with home.start(_ECHO, "--out", "/dev/null") as recording:
        out, err, code = recording.finish(b"{}\n")
    assert (out, err, code) == (b"{}\n", b"", 6)
    assert os.path.exists("/dev/null")


def test_a_full_device(home: Home) -> None:
    """The kernel's own full disk."""
    if not os.path.exists("/dev/full"):
        return
    with home.start(_ECHO, "--out", "/dev/full") as recording:
        out, err, code = recording.finish(b"{}\n")
    assert (out, code) == (b"{}\n", 6)
    assert (
        err == b"acp-trace: cannot write the trace (No space left on device: /dev/full); "
        b"the traffic goes on unrecorded\n"
    )


def test_labels_are_checked_before_the_agent_starts(home: Home) -> None:
    """A usage error is one, with exit code 2."""
    done = home.outcome("record", "--label", "nonsense", "--", "true")
    assert done.returncode == 2
    assert b"K=V" in done.stderr
    assert json.dumps(home.spooled()) == "[]"


def test_a_client_that_does_not_read_stderr_is_not_waited_for() -> None:
    """Its pipe is full of what the agent said there. The line comes when there is room; the traffic goes on."""
    read, write = os.pipe()
    before = os.dup(2)
    os.dup2(write, 2)
    try:
        set_blocking(write, False)
        filled = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                filled += os.write(write, b"x" * 4096)
        set_blocking(write, True)
        saying = threading.Thread(target=recorder._say, args=("lost",), daemon=True)
        saying.start()
        saying.join(DEADLINE_S)
        waited = saying.is_alive()
        said = b""
        while not said.endswith(b"lost\n"):
            said += os.read(read, 1 << 16)
    finally:
        os.dup2(before, 2)
        for fd in (before, read, write):
            os.close(fd)
    assert not waited
    assert said == b"x" * filled + b"acp-trace: lost\n"
