"""Places of secrets in a capture that became known after they were written, on their way to the recorder.

A place only reveals the length of the secret, and a checksum that detects a shifted place. Neither is written
into a trace.
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
    """Return the checksum that shows whether these are still the intended bytes."""
    return zlib.crc32(data)


def packed(places: Iterable[LatePlace]) -> bytes:
    """Return places as bytes, for the pipe to the recorder."""
    return b"".join(_PLACE.pack(*place) for place in places)


def unpacked(data: bytes) -> list[LatePlace]:
    """Return the places that `packed` wrote."""
    return [LatePlace(*fields) for fields in _PLACE.iter_unpack(data)]
