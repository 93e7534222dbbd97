"""Decompresses bytes in small pieces and within a limit. Pure.

A few bytes can expand to gigabytes, so everything that acp-trace decompresses goes through here: bodies and
messages of a model's traffic, answers of an agent's server, objects of a team's place. A stage yields pieces
of at most PIECE bytes, and makes each only when it is needed. `GrowthRoom` counts the bytes on both sides,
and raises before the limit is passed.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

#: Bytes that a stage yields at a time. brotli rounds up to its own blocks: twice that at most.
PIECE = 1 << 18
#: The window of zstd: 8 MB, which RFC 9659 allows for HTTP, and which suffices up to `zstd -19`.
_WINDOW_LOG = 23
_RAW, _ZLIB, _GZIP = -zlib.MAX_WBITS, zlib.MAX_WBITS, zlib.MAX_WBITS | 16
_ZLIB_METHOD = 8  #: the lower half of the first byte (RFC 1950, 2.2)


class BadData(ValueError):
    """The bytes are invalid, or expand too far: the message is a reason that continues a sentence."""


class CorruptData(BadData):
    """The bytes cannot be decompressed."""


class TooMuch(BadData):
    """The bytes expand beyond the limit."""


@dataclass(frozen=True, slots=True)
class GrowthLimit:
    """`free` bytes may come out, and `ratio` more for each that went in; at most `longest`, both in and out.

    `longest` None: only the growth is limited.
    """

    free: int
    ratio: int
    longest: int | None = None


class GrowthRoom:
    """How much some bytes may still expand. Several streams may share one room."""

    def __init__(self, limit: GrowthLimit) -> None:
        self._limit = limit
        self._taken = self._given = 0

    def take(self, size: int) -> None:
        """Count bytes that go in. Raises TooMuch."""
        self._taken += size
        self._check_length(self._taken)

    def give(self, size: int) -> None:
        """Count bytes that come out. Raises TooMuch: then these bytes must not be used."""
        self._given += size
        self._check_length(self._given)
        if self._given > self._limit.free + self._limit.ratio * self._taken:
            raise TooMuch(f"more than {self._limit.ratio} times as long as when compressed")

    def _check_length(self, size: int) -> None:
        if self._limit.longest is not None and size > self._limit.longest:
            raise TooMuch(too_long(self._limit.longest))


def too_long(longest: int) -> str:
    """Return why something longer than this number of bytes is not used."""
    return f"longer than {longest >> 20} MB"


class Stage(Protocol):
    """Undoes one compression."""

    def pieces(self, data: bytes, /) -> Iterator[bytes]:
        """Yield the next bytes, decompressed, piece by piece. Raises CorruptData."""


class Zlib:
    """One of the formats of zlib. gzip may have several members, and anything behind the last one."""

    def __init__(self, bits: int = _RAW) -> None:
        self._bits = bits
        self._stage = zlib.decompressobj(bits)
        self._whole = 0  #: members, or final blocks, that have ended
        self._is_over = False

    def pieces(self, data: bytes, /) -> Iterator[bytes]:
        """See `Stage`."""
        piece = b""
        while (data or len(piece) == PIECE) and not self._is_over:
            try:
                piece = self._stage.decompress(data, PIECE)
            except zlib.error:
                if not self._whole:
                    raise CorruptData("damaged") from None
                self._is_over = True
                return
            if piece:
                yield piece
            data = self._stage.unconsumed_tail
            if self._stage.eof:
                data, piece = self._stage.unused_data, b""
                self._whole += 1
                self._stage = zlib.decompressobj(self._bits)


class Deflate:
    """`deflate` of HTTP: it should be zlib's format, but some servers send the bare one."""

    def __init__(self) -> None:
        self._stage: Zlib | None = None

    def pieces(self, data: bytes, /) -> Iterator[bytes]:
        """See `Stage`."""
        if self._stage is None:
            if not data:
                return
            self._stage = Zlib(_ZLIB if data[0] & 0x0F == _ZLIB_METHOD else _RAW)
        yield from self._stage.pieces(data)


class Brotli:
    """The br coding. Raises ImportError if the library is missing."""

    def __init__(self) -> None:
        import brotli

        self._error: type[Exception] = brotli.error
        self._stage = brotli.Decompressor()

    def pieces(self, data: bytes, /) -> Iterator[bytes]:
        """See `Stage`."""
        while True:
            try:
                piece = self._stage.process(data, output_buffer_limit=PIECE)
            except self._error:
                raise CorruptData("damaged") from None
            if piece:
                yield bytes(piece)
            data = b""
            is_drained = len(piece) < PIECE and self._stage.can_accept_more_data()
            if is_drained or self._stage.is_finished():
                return


class Zstd:
    """The zstd coding; several frames may follow each other. Raises ImportError if the library is missing."""

    def __init__(self) -> None:
        self._zstd = zstd_library()
        self._stage = self._new()

    @property
    def is_whole(self) -> bool:
        """Whether the bytes end where a frame does."""
        return self._stage is None

    def pieces(self, data: bytes, /) -> Iterator[bytes]:
        """See `Stage`."""
        while data or (self._stage is not None and not self._stage.needs_input):
            self._stage = self._stage or self._new()
            try:
                piece = self._stage.decompress(data, PIECE)
            except (self._zstd.ZstdError, EOFError):
                raise CorruptData("damaged") from None
            if piece:
                yield piece
            data = b""
            if self._stage.eof:
                data, self._stage = self._stage.unused_data, None

    def _new(self) -> Any:
        return self._zstd.ZstdDecompressor(
            options={self._zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        )


def gzip() -> Zlib:
    """Return a stage for the format of gzip (RFC 1952)."""
    return Zlib(_GZIP)


def zstd_library() -> Any:
    """Return the module for zstd; the standard library has it from Python 3.14 on. Raises ImportError."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def inflated(layers: Sequence[tuple[Stage, GrowthRoom]], data: bytes) -> Iterator[bytes]:
    """Yield the next bytes, decompressed, piece by piece; the outermost layer comes first.

    Each layer has its own room, which counts the bytes that go into the outermost layer. Raises CorruptData
    and TooMuch, before the piece that must not be used.
    """
    for _, room in layers:
        room.take(len(data))
    yield from _through(layers, data)


def _through(layers: Sequence[tuple[Stage, GrowthRoom]], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    (stage, room), *inner = layers
    for piece in stage.pieces(data):
        room.give(len(piece))
        yield from _through(inner, piece)
