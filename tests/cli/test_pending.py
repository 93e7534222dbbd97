"""What may take a recording's place: a whole run of that recording, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_trace.cli import pending, review
from tests.commands import Commands
from tests.deep import deep_tree
from tests.posix import named_pipe
from tests.reading.talk import prompt, stop, up
from tests.replay.model_talk import Call, session, turn
from tests.support import request, result, trace

_TALK = [("client", request(1, "initialize")), ("agent", result(1, protocolVersion=1))]
_RECORDING = trace(*_TALK, id="recording")
_RUN = trace(*_TALK, id="run", replay_of="recording")


def _linked(path: Path) -> None:
    (path.parent / "target").write_bytes(_RUN)
    path.symlink_to("target")


_OTHERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.write_bytes(b""), "is not a trace"),
    "garbage": (lambda path: path.write_bytes(b"garbage\n" * 3), "is not a trace"),
    "a pipe": (named_pipe, "is not a file"),
    "a directory": (Path.mkdir, "is not a file"),
    "a link": (_linked, "is a link"),
    "without its end": (
        lambda path: path.write_bytes(trace(*_TALK, id="run", replay_of="recording", end=False)),
        "is not complete",
    ),
    "cut off": (lambda path: path.write_bytes(_RUN[:-9]), "is not complete"),
    "damaged": (
        lambda path: path.write_bytes(_RUN.replace(b'"from":"agent"', b'"from":"who"')),
        "is not complete",
    ),
    "a recording": (lambda path: path.write_bytes(trace(*_TALK, id="other")), "is not a run of a replay"),
    "of another recording": (
        lambda path: path.write_bytes(trace(*_TALK, id="run", replay_of="other")),
        "is a run of another recording",
    ),
    "of a newer version": (lambda path: path.write_bytes(trace(*_TALK, acp_trace=99)), "please update"),
}


@pytest.mark.parametrize("other", _OTHERS)
@pytest.mark.parametrize("named", [True, False], ids=["named", "in its directory"])
def test_what_is_no_run_is_not_accepted(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, named: bool
) -> None:
    """The recording stays, the others are accepted, and the exit code says that something was wrong."""
    monkeypatch.setenv("CI", "")
    make, why = _OTHERS[other]
    bad, good = tmp_path / "bad.jsonl", tmp_path / "good.jsonl"
    for path in (bad, good):
        path.write_bytes(_RECORDING)
    make(tmp_path / "bad.jsonl.new")
    (tmp_path / "good.jsonl.new").write_bytes(_RUN)
    places = [bad, good] if named else [tmp_path]
    listed = commands("review", *places)
    assert (listed.code, why in listed.err) == (3, True), listed
    said = commands("review", "--accept", *places)
    assert (said.code, why in said.err) == (3, True), said
    assert said.out == f"accepted: {good}\n"
    assert (bad.read_bytes(), good.read_bytes()) == (_RECORDING, _RUN)
    assert not (tmp_path / "good.jsonl.new").exists()
    assert os.path.lexists(tmp_path / "bad.jsonl.new")


def test_whatever_it_is_it_can_be_rejected(commands: Commands, tmp_path: Path) -> None:
    """An empty file is in the way until somebody removes it."""
    (tmp_path / "bad.jsonl").write_bytes(_RECORDING)
    (tmp_path / "bad.jsonl.new").write_bytes(b"")
    assert commands.passes("review", "--reject", tmp_path) == f"rejected: {tmp_path / 'bad.jsonl'}\n"
    assert [path.name for path in tmp_path.glob("bad*")] == ["bad.jsonl"]


def test_what_fails_a_replay_by_its_settings_is_shown_as_that(tmp_path: Path) -> None:
    """What the agent tells its model is a difference if nothing else is: the run is there because it failed."""
    recorded, run = tmp_path / "t.jsonl", tmp_path / "t.jsonl.new"
    for path, system in ((recorded, "Be brief."), (run, "Be kind.")):
        path.write_bytes(b"".join(entry.raw for entry in session(*turn(Call(system=system)))))
    found = review._compared(str(recorded), str(run))
    assert [(each.code, each.severity) for each in found.divergences] == [("model-prompt-changed", "error")]
    recorded.with_name("t.replay.toml").write_text("model_strict = true\n")
    assert not review._compared(str(recorded), str(run)).equal


def test_a_run_that_failed_at_a_closer_level_is_not_shown_as_equal(tmp_path: Path) -> None:
    """It is there because something differed: what does not differ at one level is compared at the next."""
    recorded, run = tmp_path / "t.jsonl", tmp_path / "t.jsonl.new"
    for path, text in ((recorded, "Two eggs."), (run, "Three eggs.")):
        said = up("agent_message_chunk", content={"type": "text", "text": text})
        path.write_bytes(trace(*_TALK, prompt(2), said, stop(2)))
    assert [each.code for each in review._compared(str(recorded), str(run)).failing] == ["content-differs"]


_NO_RECORDINGS: dict[str, Callable[[Path], object]] = {
    "a file of the user's": lambda path: path.write_text('{"data": 1}\n'),
    "a pipe": named_pipe,
    "a link to a device": lambda path: path.symlink_to("/dev/full"),
    "a link that leads nowhere": lambda path: path.symlink_to("nowhere"),
}


@pytest.mark.parametrize("other", _NO_RECORDINGS)
def test_what_is_no_recording_is_not_replaced(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    """Someone else's repository may have a run next to any file of such a name. Nothing waits for a pipe."""
    monkeypatch.setenv("CI", "")
    place = tmp_path / "t.jsonl"
    _NO_RECORDINGS[other](place)
    (tmp_path / "t.jsonl.new").write_bytes(_RUN)
    before = place.lstat()
    said = commands("review", "--accept", tmp_path)
    assert (said.code, "which is not a trace: not accepted" in said.err) == (3, True), said
    assert os.path.samestat(place.lstat(), before)
    assert (tmp_path / "t.jsonl.new").read_bytes() == _RUN


def test_only_the_run_that_was_shown_is_accepted(tmp_path: Path) -> None:
    """Another replay may leave another run while somebody looks at this one."""
    place = tmp_path / "t.jsonl"
    place.write_bytes(_RECORDING)
    pending.of(place).write_bytes(_RUN)
    shown, why = review._looked_at(place)
    assert why is None
    pending.of(place).write_bytes(_RUN.replace(b'"id":"run"', b'"id":"new"'))
    with pytest.raises(pending.NotARun, match="was changed while it was shown"):
        pending.accept(place, shown)
    assert place.read_bytes() == _RECORDING


def test_a_run_is_left_in_the_place_of_a_pipe(tmp_path: Path) -> None:
    """Or of a link to a device: a replay waits for nobody, and writes through nothing."""
    named_pipe(tmp_path / "pipe.jsonl.new")
    (tmp_path / "device.jsonl.new").symlink_to("/dev/full")
    for name in ("pipe", "device"):
        assert pending.leave(tmp_path / f"{name}.jsonl", _RUN)
        assert (tmp_path / f"{name}.jsonl.new").read_bytes() == _RUN


def test_a_giant_file_is_not_read(commands: Commands, tmp_path: Path) -> None:
    """A file with a hole takes no room on the disk, and all memory if it is read."""
    (tmp_path / "t.jsonl").write_bytes(_RECORDING)
    with open(tmp_path / "t.jsonl.new", "wb") as stream:
        stream.truncate(1 << 40)
    said = commands("review", "--accept", tmp_path)
    assert (said.code, "is larger than 1 GB" in said.err) == (3, True), said


def test_runs_in_a_deep_tree(commands: Commands, tmp_path: Path) -> None:
    """What lies deeper than Python's stack is no obstacle for what does not."""
    with deep_tree(tmp_path):
        (tmp_path / "t.jsonl").write_bytes(_RECORDING)
        (tmp_path / "t.jsonl.new").write_bytes(_RUN)
        assert commands.passes("review", "--accept", tmp_path) == f"accepted: {tmp_path / 't.jsonl'}\n"
