"""A trace's lines, compressed with zstd, and back. The standard library has it from Python 3.14 on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from acp_trace.bucket.objects import INSTALL, LackingPackages

_LEVEL = 9  # a tenth smaller than the default, and still above 100 MB/s


def packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces, compressed: with one version of zstd, always to the same bytes. Raises LackingPackages."""
    compressor = _zstd().ZstdCompressor(level=_LEVEL)
    for piece in pieces:
        if some := compressor.compress(piece):
            yield some
    yield compressor.flush()


def unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of what was packed. Raises ValueError if it is damaged or cut off, and LackingPackages."""
    zstd = _zstd()
    decompressor = zstd.ZstdDecompressor()
    try:
        for piece in pieces:
            yield decompressor.decompress(piece)
    except (zstd.ZstdError, EOFError) as error:
        raise ValueError("is damaged") from error
    if not decompressor.eof:
        raise ValueError("is cut off")


def beginning(packed: bytes) -> tuple[bytes, bool]:
    """The lines that the first bytes of a packed trace contain, and whether they are all.

    Raises ValueError if they are damaged, and LackingPackages.
    """
    zstd = _zstd()
    decompressor = zstd.ZstdDecompressor()
    try:
        return decompressor.decompress(packed), decompressor.eof
    except zstd.ZstdError as error:
        raise ValueError("is damaged") from error


def _zstd() -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise LackingPackages(INSTALL) from error
    return zstd
