"""Notes on frames, kept beside a trace; and what is dropped on the page."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from acp_trace.trace.note_files import notes_at_home, notes_beside
from acp_trace.view import given, notes
from acp_trace.view.given import GivenTraces, NotTaken
from acp_trace.view.notes import BadNote, Notes
from tests.support import REPOSITORY

_SAMPLES = REPOSITORY / "sample_traces"


def _said(frame: object = 3, text: object = "why?") -> bytes:
    return json.dumps({"frame": frame, "text": text}).encode()


def test_notes_are_kept_in_order_and_removed(tmp_path: Path) -> None:
    """For the owner only; an empty text removes one."""
    path = notes_beside(tmp_path / "a.jsonl")
    assert path == tmp_path / "a.notes.json"
    kept = Notes()
    assert kept.read(path) == {}
    kept.change(path, _said(12, "later"))
    assert kept.change(path, _said(3, " first ")) == {"3": "first", "12": "later"}
    assert list(json.loads(path.read_text("utf-8"))["frames"]) == ["3", "12"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept.change(path, _said(12, "")) == {"3": "first"}
    assert kept.read(path) == {"3": "first"}


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[", b"7", b"{}", b"[" * 100_000, _said(0), _said(-1), _said(True), _said("3"), _said(10**13),
        _said(1.5), _said(3, None), _said(3, "x" * 4001), b'{"frame": 1e999, "text": ""}',
    ],
)  # fmt: skip
def test_what_is_no_note_changes_nothing(tmp_path: Path, data: bytes) -> None:
    """One clear line, and no file."""
    with pytest.raises(BadNote):
        Notes().change(tmp_path / "a.notes.json", data)
    assert list(tmp_path.iterdir()) == []


def test_there_is_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that is there can still be changed."""
    monkeypatch.setattr(notes, "MOST", 2)
    path, kept = tmp_path / "a.notes.json", Notes()
    for frame in (1, 2, 2):
        kept.change(path, _said(frame))
    with pytest.raises(BadNote, match="can have 2"):
        kept.change(path, _said(3))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"acp_trace_notes":2,"frames":{"1":"x"}}', b'{"acp_trace_notes":1,"frames":[]}'],
)
def test_a_file_that_is_not_ours_has_no_notes(tmp_path: Path, data: bytes) -> None:
    """Whatever somebody put there."""
    path = tmp_path / "a.notes.json"
    path.write_bytes(data)
    assert Notes().read(path) == {}


def test_no_link_is_followed(tmp_path: Path) -> None:
    """Neither to read nor to write: a link in the place of the file is replaced."""
    other, path = tmp_path / "other", tmp_path / "a.notes.json"
    other.write_text('{"acp_trace_notes":1,"frames":{"1":"secret"}}', "utf-8")
    before = other.read_bytes()
    path.symlink_to(other)
    assert Notes().read(path) == {}
    Notes().change(path, _said())
    assert not path.is_symlink()
    assert other.read_bytes() == before


@pytest.mark.parametrize("id_", ["../../etc/passwd", "a/b", "", "x" * 10_000, "\ud800"])
def test_no_text_of_a_trace_names_a_file(tmp_path: Path, id_: str) -> None:
    """The id of a stored trace is hashed."""
    path = notes_at_home(tmp_path, id_)
    assert path.parent == tmp_path / "notes"
    assert len(path.name) == len("0" * 32 + ".notes.json")


def test_a_trace_and_a_log_are_taken(tmp_path: Path) -> None:
    """A trace as it is, the first trace of a log of another tool; under names of ours, for the owner only."""
    taken = GivenTraces()
    sample = (_SAMPLES / "gemini-model.jsonl").read_bytes()
    path = taken.take(sample)
    assert path.read_bytes() == sample
    assert taken.has(path)
    assert not taken.has(tmp_path / path.name)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    log = REPOSITORY / "tests" / "formats" / "data" / "toad" / "toad.log"
    assert taken.take(log.read_bytes()).read_bytes().startswith(b'{"acp_trace":1')


@pytest.mark.parametrize("data", [b"", b"hello\n", b"\x1f\x8b\x08broken", os.urandom(2000), b"{}\n" * 10])
def test_what_is_no_log_is_refused(data: bytes) -> None:
    """In one line; nothing of it is kept."""
    taken = GivenTraces()
    with pytest.raises(NotTaken) as refused:
        taken.take(data)
    assert "\n" not in str(refused.value)
    assert taken._bytes == 0


def test_not_too_much_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """All together."""
    sample = (_SAMPLES / "gemini-model.jsonl").read_bytes()
    monkeypatch.setattr(given, "MOST_BYTES", int(1.5 * len(sample)))
    taken = GivenTraces()
    directory = taken.take(sample).parent
    with pytest.raises(NotTaken, match="too many files"):
        taken.take(sample)
    del taken
    assert not directory.exists()
