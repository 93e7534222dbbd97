"""What `--out` named is a file of lines when the recorder has ended; whatever stops that leaves the capture."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from acp_trace.record import finish, place
from acp_trace.record.sink import Sink
from acp_trace.trace import lock
from acp_trace.trace.capture_layout import AGENT, CLIENT, MAGIC
from tests.support import ACP_TRACE, DEADLINE_S, Home, agent, entries_in, frames_in, header, lines_of, until


def _recorded(path: Path, trace_id: str = "some-id") -> Sink:
    """A recorder with one frame of each side, before its end."""
    where = partial(place.in_file, str(path), trace_id)
    made = Sink(where, header(id=trace_id)[:-1], started=time.monotonic_ns(), say=_silent)
    made.write(CLIENT, b'{"n":1}\n')
    made.write(AGENT, b'{"id":"%b"}' % trace_id.encode())
    return made


def _silent(text: str) -> None:
    raise AssertionError(text)


def _finish(fd: int, path: str) -> None:
    finish.finish(fd, path, lambda: True)


def _end(made: Sink, then: Callable[[int, str], None] = _finish) -> None:
    made.end(0, None, then=then)


def _is_lines(path: Path) -> bool:
    return path.read_bytes().startswith(b'{"acp_trace":1,')


def test_lines_take_the_place_of_the_capture(tmp_path: Path) -> None:
    """Byte for byte what readers make of it; readable by its owner alone, and nothing is left beside it."""
    path = tmp_path / "t.jsonl"
    made, seen = _recorded(path), list[bytes]()

    def then(fd: int, named: str) -> None:
        seen.append(lines_of(path))
        assert path.read_bytes().startswith(MAGIC)
        _finish(fd, named)

    _end(made, then)
    assert [path.read_bytes()] == seen
    assert [one.name for one in tmp_path.iterdir()] == ["t.jsonl"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert not lock.held(path)
    assert [one["frame"] for one in frames_in(path)] == [{"n": 1}, {"id": "some-id"}]


def test_another_recorder_took_the_name_meanwhile(tmp_path: Path) -> None:
    """Its file is not touched; ours becomes lines under the number that it was given."""
    path = tmp_path / "t.jsonl"
    first = _recorded(path, "first")
    second = _recorded(path, "second")
    before = path.read_bytes()
    _end(first)
    assert path.read_bytes() == before
    assert lock.held(path)
    kept = tmp_path / "t.1.jsonl"
    assert _is_lines(kept)
    _end(second)
    assert _is_lines(path)
    ids = [entries_in(one)[0]["id"] for one in (kept, path)]
    assert ids == ["first", "second"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["t.1.jsonl", "t.jsonl"]


def _gone(path: Path) -> None:
    (path.parent.parent / "elsewhere").mkdir()
    path.rename(path.parent.parent / "elsewhere" / "kept")


@pytest.mark.parametrize("in_its_place", [False, True])
def test_the_file_was_moved_to_another_directory(tmp_path: Path, in_its_place: bool) -> None:
    """It stays a capture where it is; what has its name now is somebody else's."""
    path = tmp_path / "here" / "t.jsonl"
    path.parent.mkdir()
    made = _recorded(path)
    _gone(path)
    if in_its_place:
        path.write_text("a note")
    with pytest.raises(FileNotFoundError):
        _end(made)
    assert [one.read_text() for one in path.parent.iterdir()] == ["a note"] * in_its_place
    assert entries_in(tmp_path / "elsewhere" / "kept")[-1]["end"]["exit_code"] == 0


def test_the_file_was_renamed_in_its_directory(tmp_path: Path) -> None:
    """It is found by what it is, not by what it is called."""
    path = tmp_path / "t.jsonl"
    made = _recorded(path)
    path.rename(tmp_path / "mine")
    path.write_text("a note")
    _end(made)
    assert _is_lines(tmp_path / "mine")
    assert path.read_text() == "a note"


@pytest.mark.parametrize("room", [0, 1, 200])
def test_no_space_for_the_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """The capture is as it was; the half of a file is gone."""
    path = tmp_path / "t.jsonl"
    made, seen = _recorded(path), list[bytes]()

    def write_all(fd: int, data: bytes) -> None:
        os.write(fd, data[:room])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def then(fd: int, named: str) -> None:
        seen.append(path.read_bytes())
        monkeypatch.setattr(finish, "write_all", write_all)
        _finish(fd, named)

    with pytest.raises(OSError, match="No space left"):
        _end(made, then)
    assert [path.read_bytes()] == seen
    assert [one.name for one in tmp_path.iterdir()] == ["t.jsonl"]


@pytest.mark.parametrize("answers", [[False], [True, False]])
def test_nobody_wants_to_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bool]) -> None:
    """It is given up between two pieces, and the capture stays."""
    monkeypatch.setattr(finish, "_BLOCK", 100)
    path, left = tmp_path / "t.jsonl", list(answers)
    made = _recorded(path)
    with pytest.raises(finish.GivenUp, match="asked to end"):
        _end(made, lambda fd, named: finish.finish(fd, named, lambda: left.pop(0)))
    assert left == []
    assert path.read_bytes().startswith(MAGIC)
    assert [one.name for one in tmp_path.iterdir()] == ["t.jsonl"]


def test_a_directory_that_takes_no_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says so, and there is nothing to clean up."""
    path = tmp_path / "t.jsonl"
    made, opened = _recorded(path), os.open

    def refuse(name: str, flags: int, mode: int = 0o777) -> int:
        if name.endswith(".new"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        return opened(name, flags, mode)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError):
        _end(made)
    monkeypatch.undo()
    assert path.read_bytes().startswith(MAGIC)


def test_the_recorder_says_what_stays_a_capture(home: Home, tmp_path: Path) -> None:
    """One line, and the agent's exit code; `export` makes the lines."""
    out = tmp_path / "d" / "t.jsonl"
    out.parent.mkdir()
    moved = tmp_path / "moved"
    code = f"next(lines); os.rename({str(out)!r}, {str(moved)!r}); say(b'[]\\n'); sys.exit(7)"
    with home.start(agent(code), "--out", str(out)) as recording:
        said, err, status = recording.finish(b"{}\n")
    assert (said, status) == (b"[]\n", 7)
    expected = f"acp-trace: {out} stays a capture (No such file or directory); `acp-trace export` turns it into lines\n"
    assert err.decode() == expected
    assert home.run("export", str(moved)) == lines_of(moved).decode()
    assert home.run("export", str(moved)).count("\n") == 4


def test_a_killed_recorder_leaves_a_capture(home: Home, tmp_path: Path) -> None:
    """Which every command reads, and the next export makes whole."""
    out = tmp_path / "t.jsonl"
    with home.start(agent("for line in lines: say(line)"), "--out", str(out)) as recording:
        recording.say(b"{}\n")
        recording.hear()
        recording.process.kill()
        recording.process.wait(DEADLINE_S)
    assert out.read_bytes().startswith(MAGIC)
    exported = home.run("export", str(out)).encode()
    assert exported == lines_of(out)
    assert exported.count(b'"frame":{}') == 2


def test_a_signal_to_end_does_not_wait_for_the_lines(home: Home, tmp_path: Path) -> None:
    """The first second is the recorder's; a recording that takes longer stays a capture then."""
    out = tmp_path / "t.jsonl"
    slow = (
        "import sys, time\n"
        "import acp_trace.record.finish as finish, acp_trace.record.recorder as recorder\n"
        "recorder._FINISH_NS = 0\n"
        "finish._BLOCK = 50\n"
        "whole = finish.write_all\n"
        "def write_all(fd, data):\n"
        "    print('writing', file=sys.stderr, flush=True)\n"
        "    whole(fd, data)\n"
        "    while not recorder.agents.asked_to_end(): time.sleep(0.001)\n"
        "finish.write_all = write_all\n"
        "from acp_trace.cli import main\n"
        "main()\n"
    )
    argv = [*ACP_TRACE[:2], "-c", slow, "record", "--no-load", "--out", str(out), "--", "true"]
    with subprocess.Popen(
        argv, env=home.environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"writing\n"
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=DEADLINE_S)[1]
    assert (
        err.decode()
        == f"acp-trace: {out} stays a capture (asked to end); `acp-trace export` turns it into lines\n"
    )
    assert out.read_bytes().startswith(MAGIC)
    assert [one.name for one in tmp_path.glob("*t.*")] == ["t.jsonl"]
    assert not list(tmp_path.glob(".*.new"))


def test_a_device_is_left_alone(home: Home) -> None:
    """There is nothing to make lines of."""
    with home.start(["cat"], "--out", os.devnull) as recording:
        assert recording.finish(b"{}\n") == (b"{}\n", b"", 0)


def test_a_follower_sees_the_end(home: Home, tmp_path: Path) -> None:
    """It reads the capture that the lines replaced, to its footer."""
    out = tmp_path / "t.jsonl"
    with home.start(agent("for line in lines: say(line)"), "--out", str(out)) as recording:
        recording.say(b"{}\n")
        recording.hear()
        follow = subprocess.Popen(
            [*ACP_TRACE, "follow", str(out), "--json"],
            stdout=subprocess.PIPE,
            bufsize=0,
            env=home.environment,
        )
        assert follow.stdout is not None
        assert b'"frame"' in follow.stdout.readline()
        recording.say(b"[2]\n")
        recording.finish()
    rest = follow.communicate(timeout=DEADLINE_S)[0]
    assert follow.returncode == 0
    assert rest.count(b"\n") == 3
    until(lambda: _is_lines(out), "the lines")


def test_what_a_reader_has_open_stays_whole(tmp_path: Path) -> None:
    """The lines come beside the capture and are moved over it; nothing is written into an open file."""
    path = tmp_path / "t.jsonl"
    made = _recorded(path)
    with path.open("rb") as reader:
        _end(made)
        assert reader.read().startswith(MAGIC)
