"""A machine without memory, or without threads: the traffic goes on, or ends as it would without a recorder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_trace.system.processes import KILL
from tests.posix import limit
from tests.support import ACP_TRACE, DEADLINE_S, KILLED, Home, agent, entries_in


@pytest.mark.parametrize("megabytes", [32, 80])
def test_a_line_of_40_mb_in_little_memory(home: Home, tmp_path: Path, megabytes: int) -> None:
    """Under `ulimit -v`: every byte passes, and every byte is in the trace."""
    big = b'{"a":1}\n{"b":"' + b"x" * 40_000_000 + b'"}\n{"c":1}\n'
    file = tmp_path / "big"
    file.write_bytes(big)
    argv = [*ACP_TRACE, "record", "--no-load", "--", "cat"]
    little = limit("AS", megabytes << 20)
    with file.open("rb") as stdin:
        done = subprocess.run(
            argv,
            stdin=stdin,
            capture_output=True,
            env=home.environment,
            timeout=DEADLINE_S,
            check=False,
            preexec_fn=little,
        )
    assert (done.stdout == big, done.returncode, done.stderr) == (True, 0, b"")
    (path,) = home.spooled()
    entries = entries_in(path)
    for sender in ("client", "agent"):
        kept = [one["frame"] for one in entries if one.get("from") == sender]
        assert [len(one.get("b", "")) for one in kept] == [0, 40_000_000, 0]
    assert entries[-1]["end"]["frames"] == {"client": 3, "agent": 3}
    assert not [one for one in entries if "gap" in one]


def test_no_memory_to_make_lines_of_what_out_named(home: Home, tmp_path: Path) -> None:
    """Nothing is lost, and the exit code is the agent's: the capture stays, and is said to."""
    file, out = tmp_path / "big", tmp_path / "t.jsonl"
    file.write_bytes(b'{"b":"' + b"x" * 40_000_000 + b'"}\n')
    little = limit("AS", 80 << 20)
    with file.open("rb") as stdin:
        done = subprocess.run(
            [
                *ACP_TRACE,
                "record",
                "--no-load",
                "--out",
                str(out),
                "--",
                *["sh", "-c", "cat > /dev/null; exit 6"],
            ],
            stdin=stdin,
            capture_output=True,
            env=home.environment,
            timeout=DEADLINE_S,
            check=False,
            preexec_fn=little,
        )
    assert (done.returncode, done.stdout) == (6, b"")
    assert done.stderr.startswith(b"acp-trace: ")
    assert b"t.jsonl stays a capture (" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert [one.name for one in tmp_path.glob("*t.jsonl*")] == ["t.jsonl"]
    assert not list(tmp_path.glob(".*"))
    entries = entries_in(out)
    assert entries[-1]["end"]["frames"] == {"client": 1, "agent": 0}


_NO_THREADS = (
    "import sys, threading\n"
    "left, start = int(sys.argv.pop(1)), threading.Thread.start\n"
    "def refuse(self):\n"
    "    global left\n"
    "    left -= 1\n"
    '    if left < 0: raise RuntimeError("can\'t start new thread")\n'
    "    start(self)\n"
    "threading.Thread.start = refuse\n"
    "from acp_trace.cli import main\n"
    "main()\n"
)


def _without_threads(
    home: Home, most: int, command: list[str], before: Callable[[], object] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A recording in which no more than `most` threads start; its client does not hang up."""
    argv = [sys.executable, "-EP", "-c", _NO_THREADS, str(most), "record", "--no-load", "--", *command]
    read, write = os.pipe()
    try:
        return subprocess.run(
            argv,
            stdin=read,
            capture_output=True,
            env=home.environment,
            timeout=DEADLINE_S,
            check=False,
            preexec_fn=before,
        )
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize("most", range(4))
def test_no_thread_can_be_started(home: Home, most: int) -> None:
    """A limit on threads: nothing could be passed on, so the agent is ended, and the trace says why."""
    done = _without_threads(home, most, agent("for line in lines: pass\nsys.exit(3)"))
    said = "the recorder cannot continue: can't start new thread"
    assert done.stderr.decode() == f"acp-trace: {said}; the agent is ended\n"
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["error"] == said


def test_an_agent_that_ignores_that_it_is_to_end_is_killed(home: Home) -> None:
    """Nobody waits for it for ever; it was told first."""
    done = _without_threads(
        home, 0, agent("time.sleep(60)"), lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    )
    assert done.returncode == KILLED
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["signal"] == KILL
