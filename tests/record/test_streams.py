"""What a pump's reads become, and what is given up when memory runs out: counted to the byte."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from acp_trace.record import place
from acp_trace.record.sink import Sink
from acp_trace.record.streams import FrameStream, LogStream
from acp_trace.trace.encode import Framer
from tests.support import ACP_TRACE, DEADLINE_S, Home, agent, entries_in, header


class _Memory:
    """Says no to the `refused` next calls of a method that needs memory."""

    def __init__(self, patch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        self.refused = 0
        whole = getattr(owner, name)

        def method(*args: object) -> object:
            if self.refused:
                self.refused -= 1
                raise MemoryError
            return whole(*args)

        patch.setattr(owner, name, method)


def _sink(tmp_path: Path, said: list[str]) -> Sink:
    where = partial(place.in_file, tmp_path / "t.jsonl", "id")
    return Sink(where, header(), started=time.monotonic_ns(), say=said.append)


def _kept(tmp_path: Path) -> list[object]:
    """Frames as they are, gaps as (frames, bytes), the numbers of the footer."""
    entries = entries_in(tmp_path / "t.jsonl")[1:]
    gaps = [(one["gap"]["frames"], one["gap"]["bytes"]) if "gap" in one else None for one in entries]
    return [
        gap or one.get("frame", one.get("end", {}).get("frames"))
        for gap, one in zip(gaps, entries, strict=True)
    ]


@pytest.mark.parametrize(("owner", "method"), [(Framer, "feed"), (Sink, "frames")])
def test_lines_that_do_not_fit_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, method: str
) -> None:
    """Lost and counted, the unfinished line before them too; what comes after them is kept."""
    said = list[str]()
    sink = _sink(tmp_path, said)
    stream, memory = FrameStream(b"agent", sink), _Memory(monkeypatch, owner, method)
    for data, refused in ((b"[0]\n", 0), (b"[1,", 0), (b"2]\n[3]\n[4,", 1), (b"5]\n", 0)):
        memory.refused = refused
        stream(data)
    sink.end(0, None)
    assert _kept(tmp_path) == [[0], (2, 8), [4, 5], {"client": 0, "agent": 4}]
    assert len(said) == 1


def test_a_line_without_end_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is lost whole, its end too, and is one frame of the gap."""
    sink = _sink(tmp_path, [])
    stream, memory = FrameStream(b"client", sink), _Memory(monkeypatch, Framer, "feed")
    for data, refused in ((b"[1,", 0), (b"2,", 1), (b"3,", 0), (b"4]\n[5]\n", 0)):
        memory.refused = refused
        stream(data)
    sink.end(0, None)
    assert _kept(tmp_path) == [(1, 9), [5], {"client": 2, "agent": 0}]


@pytest.mark.parametrize("rest", [b"", b"2]"])
def test_a_line_that_was_given_up_and_never_ends(tmp_path: Path, rest: bytes) -> None:
    """Its memory was wanted for the traffic; at the end of the stream it is counted."""
    sink = _sink(tmp_path, [])
    stream = FrameStream(b"client", sink)
    assert not stream.give_up()
    stream(b"[1,")
    assert stream.give_up()
    assert not stream.give_up()
    if rest:
        stream(rest)
    stream(b"")
    sink.end(0, None)
    assert _kept(tmp_path) == [(1, 3 + len(rest)), {"client": 1, "agent": 0}]


def test_the_last_line_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the stream raises nothing: what waits for it has to be let go."""
    sink = _sink(tmp_path, [])
    stream, memory = FrameStream(b"client", sink), _Memory(monkeypatch, Framer, "rest")
    stream(b"[1,2]")
    memory.refused = 1
    stream(b"")
    sink.end(0, None)
    assert _kept(tmp_path) == [(1, 5), {"client": 1, "agent": 0}]


def test_log_lines_that_do_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are no frames: the loss is said once, and the next ones are kept."""
    said = list[str]()
    sink = _sink(tmp_path, said)
    stream, memory = LogStream(sink), _Memory(monkeypatch, Sink, "logs")
    memory.refused = 1
    for data in (b"lost\n", b"kept\n", b""):
        stream(data)
    sink.end(0, None)
    assert [one["log"] for one in entries_in(tmp_path / "t.jsonl") if "log" in one] == ["kept"]
    assert len(said) == 1


@pytest.mark.parametrize("megabytes", [32, 80])
def test_no_memory_stops_no_traffic(home: Home, tmp_path: Path, megabytes: int) -> None:
    """A line of 40 MB under `ulimit -v`: every byte passes, and the gap is exact."""
    big = b'{"a":1}\n{"b":"' + b"x" * 40_000_000 + b'"}\n{"c":1}\n'
    file = tmp_path / "big"
    file.write_bytes(big)
    argv = [*ACP_TRACE, "record", "--no-load", "--", "cat"]
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    with file.open("rb") as stdin:
        done = subprocess.run(
            argv,
            stdin=stdin,
            capture_output=True,
            env=home.environment,
            timeout=DEADLINE_S,
            check=False,
            preexec_fn=limit,
        )
    assert (done.stdout == big, done.returncode) == (True, 0)
    assert done.stderr.count(b"\n") == 1
    (path,) = home.spooled()
    entries = entries_in(path)
    for sender in ("client", "agent"):
        kept = [one["frame"] for one in entries if one.get("from") == sender]
        assert [one for one in kept if "b" not in one] == [{"a": 1}, {"c": 1}]
    lost = [one["gap"] for one in entries if "gap" in one]
    frames = sum(one["frames"] for one in lost)
    assert 1 <= frames <= 2
    assert sum(one["bytes"] for one in lost) == frames * 40_000_008
    assert entries[-1]["end"]["frames"] == {"client": 3, "agent": 3}


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
    said = "the recorder cannot go on: can't start new thread"
    assert done.stderr.decode() == f"acp-trace: {said}; the agent is ended\n"
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["error"] == said


def test_an_agent_that_ignores_that_it_is_to_end_is_killed(home: Home) -> None:
    """Nobody waits for it for ever; it was told first."""
    done = _without_threads(
        home, 0, agent("time.sleep(60)"), lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    )
    assert done.returncode == -signal.SIGKILL
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["signal"] == signal.SIGKILL
