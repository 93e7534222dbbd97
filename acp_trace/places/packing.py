"""A trace's lines, compressed with zstd, and back. The standard library has it from Python 3.14 on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from acp_trace.places.place import LackingPackages
from acp_trace.trace.inflate import BadData, GrowthLimit, GrowthRoom, TooMuch, Zstd, inflated, zstd_library

_LEVEL = 9  # a tenth smaller than the default, and still above 100 MB/s
#: Lines of real traces are up to 117 times as long as their object, and 100 MB of equal updates in even steps
#: 167 times. Lines that are shorter than `free` may be anything: they take that much of a disk, and no more.
LIMIT = GrowthLimit(free=64 << 20, ratio=400)
#: Bytes of lines that the beginning of an object is unpacked to.
_LONGEST_BEGINNING = 16 << 20


def packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, compressed: with one version of zstd, always to the same bytes.

    Raises LackingPackages, and ValueError if `unpacked` would refuse it.
    """
    compressor, room = _zstd().ZstdCompressor(level=_LEVEL), GrowthRoom(LIMIT)
    try:
        for piece in pieces:
            some = compressor.compress(piece)
            room.take(len(some))
            room.give(len(piece))
            if some:
                yield some
    except TooMuch as error:
        raise ValueError(f"is {error}: no place accepts that") from error
    yield compressor.flush()


def unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of what was packed, in pieces of at most `inflate.PIECE` bytes.

    Raises ValueError if it is damaged, cut off, or expands to too much, and LackingPackages.
    """
    stage, room = _stage(), GrowthRoom(LIMIT)
    for piece in pieces:
        try:
            yield from inflated([(stage, room)], piece)
        except BadData as error:
            raise ValueError(f"is {error}") from error
    if not stage.is_whole:
        raise ValueError("is cut off")


def beginning(packed: bytes) -> tuple[bytes, bool]:
    """The lines that the first bytes of a packed trace contain, and whether they are all.

    Raises ValueError if they are damaged, and LackingPackages.
    """
    stage, room = _stage(), GrowthRoom(GrowthLimit(free=_LONGEST_BEGINNING, ratio=0))
    lines: list[bytes] = []
    try:
        lines.extend(inflated([(stage, room)], packed))  # what came before an error stays in the list
    except TooMuch:
        return b"".join(lines), False
    except BadData as error:
        raise ValueError(f"is {error}") from error
    return b"".join(lines), stage.is_whole


def _stage() -> Zstd:
    _zstd()
    return Zstd()


def _zstd() -> Any:
    try:
        return zstd_library()
    except ImportError as error:
        raise LackingPackages from error
