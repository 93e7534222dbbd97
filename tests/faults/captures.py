"""Captures, read with nothing of the package: the blocks of a file, then the lines of each side.

What the recorder could not write is a hole in a stream, as large as its gap event says. A line with a hole in
it is lost; whoever reads on gets the lines before and behind it.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_MAGIC = b"\x89ACPTRC\n"
_PREAMBLE = struct.Struct("<8sI4x8s")
_HEAD = struct.Struct("<8sQIII")
_RECORDER = 0
_STREAMS = {"client": 1, "agent": 2}
#: Stands where bytes are missing. No peer says it.
_HOLE = b"\xfe\xff a hole \xff\xfe"


class Block(NamedTuple):
    """A block, and where it begins in its file."""

    at: int
    stream: int
    data: bytes


def is_capture(path: Path) -> bool:
    """Whether the file begins as captures do."""
    with open(path, "rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def blocks(path: Path) -> Iterator[Block]:
    """The whole blocks between client and agent. Behind each stands another one, or the end of the file."""
    with open(path, "rb") as stream:
        size = stream.seek(0, 2)
        if size < _PREAMBLE.size:
            return
        with mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_READ) as data:
            _, _, mark = _PREAMBLE.unpack_from(data)
            at = _PREAMBLE.size
            while 0 <= at <= size - _HEAD.size:
                begins, _, length, which, connection = _HEAD.unpack_from(data, at)
                end = at + _HEAD.size + length
                if begins == mark and end <= size and mark.startswith(data[end : end + len(mark)]):
                    if not connection:
                        yield Block(at, which, data[at + _HEAD.size : end])
                    at = end
                else:
                    at = data.find(mark, at + 1)


def frames(path: Path, side: str) -> Iterator[tuple[bytes, bool]]:
    """The lines of a side without their newlines, and whether they had one: its last one may not.

    A line without its newline counts when the recorder lived to see the end of the stream.
    """
    pending: list[bytes] = []
    for block in blocks(path):
        data, over = b"", False
        if block.stream == _STREAMS[side]:
            data, over = block.data, not block.data
        elif block.stream == _RECORDER:
            event = json.loads(block.data)
            data, over = _hole(event.get("gap"), _STREAMS[side]), "end" in event
        if over:
            rest = b"".join(pending)
            if rest and _HOLE not in rest:
                yield rest, False
            pending = []
        elif b"\n" in data:
            *whole, rest = b"".join([*pending, data]).split(b"\n")
            yield from ((line, True) for line in whole if _HOLE not in line)
            pending = [rest]
        elif data:
            pending.append(data)


def _hole(gap: dict[str, list[dict[str, int]]] | None, stream: int) -> bytes:
    """What stands for the bytes that a gap event says are missing of a stream."""
    for lost in (gap or {}).get("streams", []):
        if lost["stream"] == stream:
            newlines = (_HOLE + b"\n") * lost["lines"]
            return newlines + (_HOLE if lost["rest"] or not lost["lines"] else b"")
    return b""
