"""Captures in the store: the same trace as the lines that they become."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from acp_trace.store import export
from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import Conflict
from acp_trace.store.load import Loaded, load
from tests.fuzz.seeds import blocks
from tests.support import HEADER, TRACES, Home
from tests.trace.capturing import block, capture, rendered

_ID = HEADER["id"]
_FRAMES = [block(1 + n % 2, b'{"n":%d}\n{"half":' % n + b"1}\n", n * 100) for n in range(9)]


def _load(home: Home, path: Path, file: bytes) -> Loaded:
    path.write_bytes(file)
    with writing(home.store) as connection:
        return load(connection, path)


def _exported(home: Home, trace_id: str = _ID) -> bytes:
    return b"".join(export.file(partial(reading, home.store), trace_id))


@pytest.mark.parametrize("lines_first", [False, True])
@pytest.mark.parametrize("end", [False, True], ids=["killed", "ended"])
def test_a_capture_and_its_lines_are_one_trace(
    home: Home, tmp_path: Path, lines_first: bool, end: bool
) -> None:
    """Whichever comes first, the other one is already there; and the lines come out."""
    file = capture(*_FRAMES, block(1, b'{"unfinished'), end=end)
    both = [file, rendered(file)]
    states = [_load(home, tmp_path / "t", one).state for one in (both[::-1] if lines_first else both)]
    assert states == ["loaded", "already there"]
    assert _exported(home) == rendered(file)


def test_of_a_killed_recorder_and_then_the_rest(home: Home, tmp_path: Path) -> None:
    """A recorder that was not dead after all: the longer one replaces it, the shorter one already exists."""
    whole = capture(*_FRAMES, block(2, b"[1,"), block(2, b"2]\n"))
    part = whole[: whole.index(b"2]\n") - 5]
    assert _load(home, tmp_path / "t", part).state == "loaded"
    assert _exported(home) == rendered(part)
    assert _load(home, tmp_path / "t", part[:-100]).state == "already there"
    assert _load(home, tmp_path / "t", whole).state == "replaced"
    assert _load(home, tmp_path / "t", rendered(part)).state == "already there"
    assert _exported(home) == rendered(whole)


def test_what_a_live_capture_and_its_lines_have_in_common(home: Home, tmp_path: Path) -> None:
    """Every beginning of a capture is a beginning of the trace, wherever it is cut."""
    whole = capture(*_FRAMES[:4])
    assert _load(home, tmp_path / "t", whole).state == "loaded"
    for size in range(whole.index(b"\xffmark", 40) + 60, len(whole), 113):
        assert _load(home, tmp_path / "t", whole[:size]).state == "already there", size


def test_another_capture_with_this_id(home: Home, tmp_path: Path) -> None:
    """It is refused, as any other trace under one id."""
    _load(home, tmp_path / "t", capture(*_FRAMES))
    with pytest.raises(Conflict, match="another trace with the id"):
        _load(home, tmp_path / "t", capture(block(1, b"other\n"), *_FRAMES))
    assert _exported(home) == rendered(capture(*_FRAMES))


@pytest.mark.parametrize("path", TRACES[:2], ids=lambda path: path.name)
def test_the_traffic_of_real_traces(home: Home, tmp_path: Path, path: Path) -> None:
    """Recorded as a capture, loaded, exported: its lines."""
    lines = [
        (b"1" if b'"from":"client"' in line else b"2") + line.partition(b'"frame":')[2][:-1]
        for line in path.read_bytes().splitlines()
        if b'"frame":' in line
    ]
    file = capture(blocks(b"\n".join(lines)))
    loaded = _load(home, tmp_path / "t", file)
    assert (loaded.state, loaded.frames, loaded.complete) == ("loaded", len(lines), True)
    assert _exported(home) == rendered(file)
