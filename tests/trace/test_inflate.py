"""Everything that is decompressed: whole if it is within its limit, and never beyond it."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from itertools import repeat

import pytest

from acp_trace.trace import codings, inflate
from acp_trace.trace.codings import Decoder, Undecodable
from acp_trace.trace.inflate import (
    PIECE,
    BadData,
    CorruptData,
    GrowthLimit,
    GrowthRoom,
    Stage,
    TooMuch,
    inflated,
)

_TEXT = bytes(range(256)) * 3000  # three pieces
_SMALL = GrowthLimit(free=PIECE, ratio=10)


def _brotli(data: bytes) -> bytes:
    made: bytes = pytest.importorskip("brotli").compress(data, quality=5)
    return made


def _zstd(data: bytes) -> bytes:
    try:
        made: bytes = inflate.zstd_library().compress(data)
    except ImportError:
        pytest.skip("zstd needs a library")
    return made


def _bare(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


_KINDS: dict[str, tuple[Callable[[bytes], bytes], Callable[[], Stage]]] = {
    "gzip": (gzip.compress, inflate.gzip),
    "deflate": (zlib.compress, inflate.Deflate),
    "bare": (_bare, inflate.Deflate),
    "br": (_brotli, inflate.Brotli),
    "zstd": (_zstd, inflate.Zstd),
}
kinds = pytest.mark.parametrize("kind", _KINDS)


def _pieces(stage: Stage, limit: GrowthLimit, *parts: bytes) -> Iterator[bytes]:
    layers = [(stage, GrowthRoom(limit))]
    for part in parts:
        yield from inflated(layers, part)


@kinds
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_any_cut_gives_the_same_bytes(kind: str, size: int) -> None:
    """Piece by piece, none much larger than it may be."""
    compress, stage = _KINDS[kind]
    packed = compress(_TEXT)
    parts = [packed[at : at + size] for at in range(0, len(packed), size)]
    pieces = list(_pieces(stage(), GrowthLimit(len(_TEXT), 0), *parts))
    assert b"".join(pieces) == _TEXT
    assert max(map(len, pieces)) <= 2 * PIECE  # brotli: up to its own block


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_several_members(kind: str, size: int) -> None:
    """One after the other, as `cat` makes them; behind those of gzip may be anything."""
    compress, stage = _KINDS[kind]
    packed = (
        compress(b"one ") + compress(_TEXT) + compress(b"") + (b"\0\0\0padding" if kind == "gzip" else b"")
    )
    parts = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert b"".join(_pieces(stage(), GrowthLimit(2 * len(_TEXT), 0), *parts)) == b"one " + _TEXT


@kinds
def test_a_bomb_is_stopped_at_its_limit(kind: str) -> None:
    """What is given is within the limit, and what is held is a few pieces, whatever the bytes stand for."""
    compress, stage = _KINDS[kind]
    packed = compress(bytes(16 << 20))
    room = _SMALL.free + _SMALL.ratio * len(packed)
    given: list[bytes] = []
    tracemalloc.start()
    try:
        with pytest.raises(TooMuch, match="more than 10 times as long as when compressed"):
            given.extend(_pieces(stage(), _SMALL, packed))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert room - 2 * PIECE <= len(b"".join(given)) <= room


@kinds
def test_damage(kind: str) -> None:
    """Bytes of another format."""
    compress, stage = _KINDS[kind]
    compress(b"")  # skips what is not installed
    with pytest.raises(CorruptData, match="damaged"):
        list(_pieces(stage(), GrowthLimit(1 << 30, 1), b"\xfe" + bytes(100) + b"\xff" * 100))


def test_a_length_counts_on_both_sides() -> None:
    """Of what goes in and of what comes out."""
    room = GrowthRoom(GrowthLimit(free=1 << 30, ratio=1, longest=1 << 20))
    room.take(1 << 20)
    room.give(1 << 20)
    for counted in (room.take, room.give):
        with pytest.raises(BadData, match="longer than 1 MB"):
            counted(1)


@pytest.mark.parametrize(
    ("coding", "bomb"),
    [
        ("gzip, gzip", gzip.compress(gzip.compress(bytes(16 << 20)))),
        ("deflate, gzip", gzip.compress(b"\x78\x9c" + b"\0\0\0\xff\xff" * 200_000)),
    ],
    ids=["twice", "a layer that stands for nothing"],
)
def test_codings_in_codings(monkeypatch: pytest.MonkeyPatch, coding: str, bomb: bytes) -> None:
    """Each layer is limited by what came in from outside."""
    monkeypatch.setattr(codings, "FREE", PIECE)
    with pytest.raises(Undecodable, match="more than 200 times"):
        Decoder(coding).whole(bomb)


def test_a_chain_of_codings() -> None:
    """Two are undone; no server sends five."""
    twice = gzip.compress(zlib.compress(_TEXT))
    assert Decoder("deflate, identity, x-gzip").whole(twice) == _TEXT
    with pytest.raises(Undecodable, match="in 5 codings"):
        Decoder(",".join(repeat("gzip", 5))).whole(twice)
