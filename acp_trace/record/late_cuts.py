"""Overwriting secrets in a capture that were written before the proxy to the model knew them.

Each is replaced with the same number of bytes, so that no block moves, and references to parts of earlier
bodies stay right. `acp_trace.model.late` finds the places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_trace.system.files import pread, pwrite
from acp_trace.trace.capture_blocks import Blocks
from acp_trace.trace.capture_layout import HEAD_SIZE, PREAMBLE_SIZE
from acp_trace.trace.late_places import LatePlace, check, unpacked

_COPY = 1 << 20
_CUT = b"<cut>"


def places(data: bytes) -> list[LatePlace]:
    """Return the places that the proxy sent."""
    return unpacked(data)


def cut(fd: int, wrong: Iterable[LatePlace]) -> int:
    """Overwrite the bytes at these places, and return at how many. Raises OSError.

    `fd` is open for reading and writing, but not for appending. If a place does not hold the expected bytes,
    because an earlier block was lost, it stays unchanged.
    """
    wanted: dict[tuple[int, int], list[LatePlace]] = {}
    for place in wrong:
        wanted.setdefault((place.stream, place.connection), []).append(place)
    parts: dict[LatePlace, list[tuple[int, bytes]]] = {}
    done: dict[tuple[int, int], int] = {}
    for at, key, data in _blocks(fd):
        if key not in wanted:
            continue
        begin = done.get(key, 0)
        end = done[key] = begin + len(data)
        for place in wanted[key]:
            start, stop = max(place.start, begin), min(place.start + place.length, end)
            if start < stop:
                parts.setdefault(place, []).append((at + start - begin, data[start - begin : stop - begin]))
    count = 0
    for place, pieces in parts.items():
        if check(b"".join(data for _, data in pieces)) != place.check:
            continue
        count += 1
        new = _CUT[: place.length].ljust(place.length, b"-")
        for at, data in pieces:
            pwrite(fd, new[: len(data)], at)
            new = new[len(data) :]
    return count


def _blocks(fd: int) -> Iterator[tuple[int, tuple[int, int], bytes]]:
    """Yield the blocks of a capture: their bytes' place in the file, stream and connection, and the bytes."""
    blocks, at, end = Blocks(), 0, PREAMBLE_SIZE
    over = False
    while not over:
        piece = pread(fd, _COPY, at)
        at += len(piece)
        over = not piece
        for block in blocks.feed(piece) if piece else blocks.finish():
            begin = end + block.skipped + HEAD_SIZE
            yield begin, (block.stream, block.connection), block.data
            end += HEAD_SIZE + len(block.data)
