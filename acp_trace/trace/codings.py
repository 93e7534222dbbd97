"""Decodes bodies from their content coding, piece by piece: gzip, deflate, br, zstd (RFC 9110, 8.4). Pure.

A body is written decoded, because secrets cannot be found in compressed bytes. `inflate` undoes each coding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acp_trace.trace.inflate import (
    Brotli,
    CorruptData,
    Deflate,
    GrowthLimit,
    GrowthRoom,
    Stage,
    TooMuch,
    Zstd,
    gzip,
    inflated,
    too_long,
)

#: Bytes of a body, encoded or decoded. Of a longer body, the size and what came before it are written.
LONGEST = 256 << 20
#: Streams of real answers become up to 94 times as long (130,000 events of OpenAI's chat in br; gzip: 62),
#: and 27 times if each event is sent at once. A shorter body may be anything, such as equal lines.
FREE, RATIO = 8 << 20, 200
#: Servers apply one coding to a body; at most this many are undone.
_MOST_CODINGS = 4


class Undecodable(Exception):
    """A body is in an unknown coding, damaged, or too long. The message says which."""


def limit() -> GrowthLimit:
    """Return the limit of one body."""
    return GrowthLimit(FREE, RATIO, LONGEST)


def limit_of_many() -> GrowthLimit:
    """Return the limit for one connection's messages that refer to each other, such as heads of HTTP/2."""
    return GrowthLimit(FREE, RATIO)


class Decoder:
    """One body. `coding`: the value of Content-Encoding; several are undone from last to first."""

    def __init__(self, coding: str) -> None:
        names = [name.strip().lower() for name in coding.split(",") if name.strip()]
        self._names = [name for name in reversed(names) if name != "identity"]
        self._layers: list[tuple[Stage, GrowthRoom]] | None = None
        self._room = GrowthRoom(limit())

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to decode."""
        return not self._names

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded next bytes, piece by piece. Raises Undecodable, possibly after some pieces."""
        try:
            if self.is_plain:
                self._room.take(len(data))
                yield data
                return
            if self._layers is None:
                self._layers = _layers(self._names)
            yield from inflated(self._layers, data)
        except ImportError:  # br and zstd need a library
            raise Undecodable(f"{self._names[0]} needs acp-trace[model]") from None
        except CorruptData:
            raise Undecodable(f"damaged {self._names[0]}") from None
        except TooMuch as error:
            raise Undecodable(str(error)) from None

    def whole(self, data: bytes) -> bytes:
        """Return a whole body, decoded. Raises Undecodable."""
        return b"".join(self.pieces(data))


def is_too_long(size: int) -> str:
    """Return why a body of this size is not written; empty if it is."""
    return too_long(LONGEST) if size > LONGEST else ""


_MAKERS: dict[str, Callable[[], Stage]] = {
    "gzip": gzip,
    "x-gzip": gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": Zstd,
}


def _layers(names: list[str]) -> list[tuple[Stage, GrowthRoom]]:
    if len(names) > _MOST_CODINGS:
        raise Undecodable(f"in {len(names)} codings")
    for name in names:
        if name not in _MAKERS:
            raise Undecodable(f"coding {name[:40]!r} is not known")
    return [(_MAKERS[name](), GrowthRoom(limit())) for name in names]
