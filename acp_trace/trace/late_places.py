"""Where secrets are in a capture that were written before anybody knew them; on its way to the recorder.

A place says nothing of the secret but its length, and a checksum by which a shifted place is noticed. Neither
is written into a trace.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import NamedTuple

_PLACE = struct.Struct("<IIQII")


class LatePlace(NamedTuple):
    """Bytes of one stream of one connection, counted over all its blocks. `check`: of these bytes."""

    stream: int
    connection: int
    start: int
    length: int
    check: int


def check(data: bytes) -> int:
    """Return the checksum that says whether these bytes are still the ones that were meant."""
    return zlib.crc32(data)


def packed(places: Iterable[LatePlace]) -> bytes:
    """Return places as bytes, for the pipe to the recorder."""
    return b"".join(_PLACE.pack(*place) for place in places)


def unpacked(data: bytes) -> list[LatePlace]:
    """Return the places that `packed` wrote."""
    return [LatePlace(*fields) for fields in _PLACE.iter_unpack(data)]
