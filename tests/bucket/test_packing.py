"""Lines as an object of a place: packed, unpacked, and refused if a few bytes stand for too much."""

from __future__ import annotations

import tracemalloc

import pytest

pytest.importorskip("obstore")

from acp_trace.places import packing
from acp_trace.team.bucket import same
from acp_trace.trace.inflate import PIECE, GrowthLimit, zstd_library

_LINES = b'{"acp_trace":1,"id":"x"}\n' + bytes(range(256)) * 4000


def test_lines_come_back_in_small_pieces() -> None:
    """However the object was cut; also an object that others packed in several frames."""
    packed = b"".join(packing.packed([_LINES[:99], _LINES[99:]]))
    for cut in (packed + packed, b"".join(packing.packed([_LINES + _LINES]))):
        pieces = list(packing.unpacked(cut[at : at + 100] for at in range(0, len(cut), 100)))
        assert b"".join(pieces) == _LINES + _LINES
        assert max(map(len, pieces)) <= PIECE


def test_what_is_no_whole_object() -> None:
    """Damaged, cut off, empty: in words that go on its name."""
    packed = b"".join(packing.packed([_LINES]))
    for data, why in ((b"x" + packed, "is damaged"), (packed[:-9], "is cut off"), (b"", "is cut off")):
        with pytest.raises(ValueError, match=why):
            list(packing.unpacked([data]))


def test_a_bomb_is_refused_on_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """`pull` refuses what stands for too much, and `push` puts nothing that `pull` would refuse."""
    monkeypatch.setattr(packing, "LIMIT", GrowthLimit(free=1 << 20, ratio=10))
    bomb = zstd_library().compress(_LINES + bytes(32 << 20))
    given: list[bytes] = []
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="is more than 10 times as long as when compressed"):
            given.extend(packing.unpacked([bomb]))
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()
    assert len(b"".join(given)) <= (1 << 20) + 10 * len(bomb)
    with pytest.raises(ValueError, match="no place accepts that"):
        list(packing.packed([bytes(1 << 20)] * 32))


def test_the_beginning_of_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    """So much of it as is looked at; it is not known to be whole."""
    monkeypatch.setattr(packing, "_LONGEST_BEGINNING", len(_LINES))
    for more, is_whole in ((0, True), (4 << 20, False)):
        lines, whole = packing.beginning(zstd_library().compress(_LINES + bytes(more)))
        assert (whole, len(lines) <= len(_LINES), _LINES.startswith(lines)) == (is_whole, True, True)
    header = b'{"acp_trace":1,"id":"x","started_at":"2026-11-20T00:00:00Z"}\n'
    bomb = zstd_library().compress(header.replace(b"-20T", b"-21T") + bytes(4 << 20))
    assert "another trace" in (same.difference(bomb, [header]) or "")
