"""Records of the traffic with a model, as blocks of a capture: see `trace.capture_layout`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_trace.trace.capture_layout import FIRST, MODEL_HEAD
from acp_trace.trace.jsontext import text

#: A body is written in pieces of this size, so that a reader need not hold more.
_PIECE = 1 << 20


class Record(NamedTuple):
    """One block of a capture: see `capture_layout`."""

    stream: int
    exchange: int
    data: bytes


class Numbers:
    """Numbers of exchanges, from 1. Those with a byte FF are left out, as a capture demands."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self) -> int:
        """Return the next number."""
        self._last += 1
        while FIRST in self._last.to_bytes(4, "little"):
            self._last += 1
        return self._last


def document(exchange: int, **words: Any) -> Record:
    """Return a JSON entry about an exchange."""
    return Record(MODEL_HEAD, exchange, text(words))


def pieces(stream: int, exchange: int, data: bytes) -> Iterator[Record]:
    """Return the bytes of a body, in blocks."""
    for at in range(0, len(data), _PIECE):
        yield Record(stream, exchange, data[at : at + _PIECE])
