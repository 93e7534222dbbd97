"""What happens to a capture from outside while it is written: own copies, cuts, names that are taken."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

from acp_trace.record import descriptor, finish, outfile, place, recorder, sink
from acp_trace.trace.capture_layout import AGENT, CLIENT, HEAD_SIZE, MAGIC, MARK_SIZE, PREAMBLE_SIZE
from acp_trace.trace.files import Lines
from tests.posix import new_terminal
from tests.support import entries_in, frames_in, header, lines_of


def _sink(path: Path, said: list[str]) -> sink.Sink:
    where = partial(place.in_file, str(path), "id")
    return sink.Sink(where, header()[:-1], started=0, say=said.append)


def test_an_agent_that_prints_its_own_capture(tmp_path: Path) -> None:
    """Marks stand in heads alone: cut at any byte, nothing is shown that nobody said."""
    path = tmp_path / "t.capture"
    made = _sink(path, [])
    made.write(CLIENT, b'{"n":1}\n')
    printed = path.read_bytes() * 3
    made.write(AGENT, printed + b"\n")
    made.write(AGENT, b'{"n":2}\n')
    made.end(0, None)
    whole = path.read_bytes()
    mark = whole[PREAMBLE_SIZE : PREAMBLE_SIZE + MARK_SIZE]
    assert whole[PREAMBLE_SIZE:].count(mark) > printed.count(mark)
    lines = lines_of(path)
    said = [entry for entry in entries_in(path) if entry.get("from") == "agent"]
    assert len(said) == (printed + b"\n").count(b"\n") + 1
    for size in range(PREAMBLE_SIZE, len(whole)):
        with tempfile.TemporaryFile() as cut:
            cut.write(whole[:size])
            cut.seek(0)
            assert lines.startswith(Lines(cut).read())


def test_bytes_that_may_begin_a_mark_are_seen_at_once(tmp_path: Path) -> None:
    """Whoever follows must not wait for the next block because a block ends like the beginning of a mark."""
    path = tmp_path / "t.capture"
    made = _sink(path, [])
    made.write(AGENT, b'{"n":1}\n\xff')
    with Lines(open(path, "rb", buffering=0), live=True) as lines:
        assert b'"frame":{"n":1}' in lines.read()
    made.end(0, None)


def test_a_capture_that_another_program_empties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`: > FILE`: what was in it is lost and told, and what comes is readable."""
    monkeypatch.setattr(sink, "_LOOK_EVERY_NS", 0)
    path, said = tmp_path / "t.capture", list[str]()
    made = _sink(path, said)
    for number in range(3):
        made.write(AGENT, b'{"n":%d}\n' % number)
    os.truncate(path, 0)
    made.write(AGENT, b'{"n":3}\n')
    made.end(0, None)
    entries = entries_in(path)
    assert "acp_trace" in entries[0]
    assert [entry["frame"]["n"] for entry in frames_in(path)] == [3]
    (gap,) = [entry["gap"] for entry in entries if "gap" in entry]
    assert (gap["frames"], gap["reason"]) == (0, "another program has cut the file off")
    assert gap["bytes"] > 0
    assert len(said) == 1


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_that_is_deleted_while_lines_are_made_of_it(tmp_path: Path, taken: bool) -> None:
    """The lines get its name, or a number if that is taken by now."""
    path = tmp_path / "t.jsonl"
    made = _sink(path, [])
    made.write(AGENT, b'{"n":1}\n')

    def ends(fd: int, named: str) -> None:
        def is_wanted() -> bool:
            path.unlink(missing_ok=True)
            if taken:
                path.write_text("theirs")
            return True

        finish.finish(fd, named, is_wanted)

    made.end(0, None, then=ends)
    ours = tmp_path / "t.1.jsonl" if taken else path
    assert json.loads(ours.read_bytes().splitlines()[1])["frame"] == {"n": 1}
    assert {one.name for one in tmp_path.iterdir()} == {ours.name, "t.jsonl"}
    assert (path.read_text() == "theirs") is taken


def test_a_name_that_cannot_be_taken_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is mounted cannot be renamed: each try would leave an empty one under the next number."""
    path = tmp_path / "t.jsonl"
    path.write_text("theirs")

    def busy(*_: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(os, "replace", busy)
    with pytest.raises(OSError, match="busy"):
        place.in_file(str(path), "id", lambda _: None)
    assert [one.name for one in tmp_path.iterdir()] == ["t.jsonl"]


def test_a_terminal_is_refused() -> None:
    """Nobody may read there, and the traffic would stop."""
    ours, theirs = new_terminal()
    try:
        assert sys.platform == "win32" or outfile.refused(os.ttyname(theirs)) == "a terminal"
    finally:
        os.close(ours)
        os.close(theirs)


def test_who_is_asked_to_end_makes_no_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The capture stays, whole, and one line says so."""
    said = list[str]()
    monkeypatch.setattr(recorder, "_FINISH_NS", 0)
    monkeypatch.setattr(recorder, "_say", said.append)
    path = tmp_path / "t.jsonl"
    made = _sink(path, [])
    made.write(AGENT, b'{"n":1}\n')
    made.end(0, None, then=partial(recorder.finish_out, lambda: True))
    assert path.read_bytes().startswith(MAGIC)
    assert [entry["frame"] for entry in frames_in(path)] == [{"n": 1}]
    assert said == [f"{path} stays a capture (asked to end); `acp-trace export` turns it into lines"]
    assert [one.name for one in tmp_path.iterdir()] == ["t.jsonl"]


def test_a_capture_of_which_another_program_cuts_off_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its beginning is there: nothing is written twice, and what was before the cut stays."""
    monkeypatch.setattr(sink, "_LOOK_EVERY_NS", 0)
    path = tmp_path / "t.capture"
    made = _sink(path, [])
    for number in range(4):
        made.write(AGENT, b'{"n":%d}\n' % number)
    os.truncate(path, path.stat().st_size - 2 * (HEAD_SIZE + 8))
    made.write(AGENT, b'{"n":4}\n')
    made.end(0, None)
    assert [entry["frame"]["n"] for entry in frames_in(path)] == [0, 1, 4]
    assert path.read_bytes().count(MAGIC) == 1
    gaps = [entry["gap"] for entry in entries_in(path) if "gap" in entry]  # what the last look had seen
    assert [(gap["frames"], gap["bytes"]) for gap in gaps] == [(0, HEAD_SIZE + 8)]


def test_what_the_recorder_takes_back_was_cut_off_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at the moment when half a block stands in the file: it is gone at the next look, and nothing else."""
    path, said = tmp_path / "t.capture", list[str]()
    made = _sink(path, said)
    made.write(AGENT, b'{"n":0}\n')
    plain, failing = descriptor.append, [True]

    def append(fd: int, head: bytes, data: bytes) -> int:
        if failing.pop() if failing else False:
            done = os.write(fd, (head + data)[:20])
            made._is_there(0)  # another stream's look
            return done
        return plain(fd, head, data)

    monkeypatch.setattr(sink, "append", append)
    made.write(AGENT, b'{"n":1}\n')
    monkeypatch.setattr(sink, "_LOOK_EVERY_NS", 0)
    os.truncate(path, path.stat().st_size)
    made.write(AGENT, b"")
    made.end(0, None)
    assert [entry["frame"]["n"] for entry in frames_in(path)] == [0, 1]
    assert not [entry for entry in entries_in(path) if "gap" in entry]
    assert said == []
