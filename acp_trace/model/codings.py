"""Bodies out of their content coding, piece by piece: gzip, deflate, br, zstd (RFC 9110, 8.4).

A body is written decoded: a secret cannot be found in what is compressed.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

#: Bytes of a body, encoded or decoded; of a longer one, only the size is written. A few can stand for many.
LONGEST = 256 << 20


class Undecodable(Exception):
    """A body is in no coding that is known here, or damaged, or too long. The message says which."""


def too_long() -> str:
    """Why a body is not written that is longer than `LONGEST`."""
    return f"longer than {LONGEST >> 20} MB"


class Decoding(Protocol):
    """Feed it the pieces of a body; it gives what they stand for."""

    def decompress(self, data: bytes, /) -> bytes:
        """What `data` stands for, as far as that is known."""


class Decoder:
    """One body. `coding`: the value of Content-Encoding; several are taken off from the last to the first."""

    def __init__(self, coding: str) -> None:
        names = [name.strip().lower() for name in coding.split(",") if name.strip()]
        self._names = [name for name in reversed(names) if name != "identity"]
        self._stages: list[Decoding] | None = None
        self._size = 0

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to decode."""
        return not self._names

    def feed(self, data: bytes) -> bytes:
        """What the next piece stands for. Raises Undecodable."""
        if not self._names:
            return data
        try:
            if self._stages is None:
                self._stages = [_made(name) for name in self._names]
            for stage in self._stages:
                data = stage.decompress(data)
        except Undecodable:
            raise
        except ImportError:  # br and zstd need a library
            raise Undecodable(f"{self._names[0]} needs acp-trace[model]") from None
        except Exception:  # each library has its own
            raise Undecodable(f"damaged {self._names[0]}") from None
        self._size += len(data)
        if self._size > LONGEST:
            raise Undecodable(too_long())
        return data


class _Deflate:
    """`deflate` is meant to be zlib's format, and some send the bare one."""

    def __init__(self) -> None:
        self._stage: Decoding | None = None

    def decompress(self, data: bytes, /) -> bytes:
        if self._stage is None:
            if not data:
                return b""
            is_zlib = data[0] & 0x0F == 8
            self._stage = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        return self._stage.decompress(data)


class _Brotli:
    def __init__(self) -> None:
        import brotli

        self._stage = brotli.Decompressor()

    def decompress(self, data: bytes, /) -> bytes:
        return bytes(self._stage.process(data))


class _Zstd:
    """Several frames may follow each other. The standard library has it from Python 3.14 on."""

    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        self._new = zstd.ZstdDecompressor
        self._stage = self._new()

    def decompress(self, data: bytes, /) -> bytes:
        out = []
        while data:
            out.append(self._stage.decompress(data))
            if not self._stage.eof:
                break
            data = self._stage.unused_data
            self._stage = self._new()
        return b"".join(out)


_MAKERS: dict[str, Callable[[], Decoding]] = {
    "gzip": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    "x-gzip": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


def _made(name: str) -> Decoding:
    if name not in _MAKERS:
        raise Undecodable(f"coding {name[:40]!r} is not known")
    return _MAKERS[name]()
