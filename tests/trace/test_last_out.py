"""The note where `record --out` wrote last: read back, and ignored whatever else it may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.record.afterwards import note_out
from acp_trace.trace.home import Home
from acp_trace.trace.last_out import last_out
from acp_trace.trace.names import LAST_OUT, new_id


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home that is not made yet."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path / "home"))
    return Home.find()


def test_the_note_of_a_recorder_is_read(place: Home, tmp_path: Path) -> None:
    """The last one counts; it compares with ids, is for its owner alone, and leaves nothing beside it."""
    file = tmp_path / 'a "b"\n.jsonl'
    file.touch()
    before = new_id()
    note_out(str(tmp_path / "gone"), 0)
    assert last_out(place) is None
    for _ in range(2):
        note_out(str(file), 0)
    note = last_out(place)
    assert note is not None
    assert note.file == file
    assert note.started < before  # the monotonic clock began long ago, and so did this recording
    assert [path.name for path in place.path.iterdir()] == [LAST_OUT]
    assert (place.path / LAST_OUT).stat().st_mode & 0o777 == 0o600
    file.unlink()
    assert last_out(place) is None


def test_a_home_that_cannot_be_made_stops_nothing(place: Home, tmp_path: Path) -> None:
    """A file is in its place."""
    place.path.touch()
    file = tmp_path / "t.jsonl"
    file.touch()
    note_out(str(file), 0)
    assert last_out(place) is None


@pytest.mark.parametrize(
    "note",
    [b"", b"[]", b"{", b"\xff", b'{"file":1,"started":"x"}', b'{"file":"a\\u0000b","started":"x"}', b'{"file":"/"}'],
)  # fmt: skip
def test_anything_else_is_ignored(place: Home, note: bytes) -> None:
    """Another program may have written there."""
    place.path.mkdir()
    (place.path / LAST_OUT).write_bytes(note)
    assert last_out(place) is None
