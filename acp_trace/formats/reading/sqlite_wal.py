"""What stands in a write-ahead log of SQLite -> the database as it is with that. Pure: bytes in, bytes out.

A tool that does not close its database leaves nearly everything in the log beside it (`FILE-wal`). The format
is that of https://www.sqlite.org/fileformat2.html, 4: frames of one page, checksums that run on, commits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

DATABASE = b"SQLite format 3\0"
#: The first bytes of a log; the last bit says in which order its checksums read the bytes of a word.
_LITTLE, _BIG = bytes.fromhex("377f0682"), bytes.fromhex("377f0683")
_HEADER, _FRAME_HEADER = 32, 24
#: Where a database says whether it has a log (2) or not (1): for writers and for readers.
_MODES = slice(18, 20)
#: How long a page is (1: 65,536 bytes, whose count is then left as it is), and how many there are.
_PAGE_SIZE, _PAGES = slice(16, 18), slice(28, 32)
_WORD = 0xFFFFFFFF


def is_wal(data: bytes) -> bool:
    """Whether the bytes begin as a log does."""
    return data[:4] in (_LITTLE, _BIG)


def plain(database: bytes) -> bytes:
    """The database as one that opens in memory: it has no log beside it, and is as long as it says."""
    if is_waiting(database):
        database = database[: _MODES.start] + b"\x01\x01" + database[_MODES.stop :]
    there = len(database) // (int.from_bytes(database[_PAGE_SIZE], "big") or 1)
    if int.from_bytes(database[_PAGES], "big") > there:  # cut off: the pages that are there can be read
        database = database[: _PAGES.start] + there.to_bytes(4, "big") + database[_PAGES.stop :]
    return database


def is_waiting(database: bytes) -> bool:
    """Whether a part of the database may be in a log beside it."""
    return database[_MODES] == b"\x02\x02"


def applied(database: bytes, wal: bytes) -> bytes:
    """The database with all that its log has committed. Empty bytes: all of it is in the log.

    What is torn, or left over from before, ends the log, as it does for SQLite.
    """
    page_size = _page_size(wal)
    if not page_size:
        return database
    pages: dict[int, bytes] = {}
    committed: dict[int, bytes] = {}
    size = len(database) // page_size
    for number, size_after, page in _frames(wal, page_size):
        pages[number] = page
        if size_after:
            committed |= pages
            pages = {}
            size = size_after
    if not committed or size > len(database) // page_size + len(committed):
        return database  # no database grows by pages that nobody wrote
    whole = bytearray(database[: size * page_size].ljust(size * page_size, b"\0"))
    for number, page in committed.items():
        if 1 <= number <= size:
            whole[(number - 1) * page_size : number * page_size] = page
    return bytes(whole)


def _page_size(wal: bytes) -> int:
    """The size of a page; 0 if this is no log."""
    if not is_wal(wal) or len(wal) < _HEADER:
        return 0
    size = int.from_bytes(wal[8:12], "big")
    return size if 512 <= size <= 65536 and size & (size - 1) == 0 else 0


def _frames(wal: bytes, page_size: int) -> Iterator[tuple[int, int, bytes]]:
    """Each sound frame: the page's number, the pages of the database if it is a commit, or 0, the page."""
    order = "<" if wal[:4] == _LITTLE else ">"
    salt = wal[16:24]
    sums = _checksum(order, wal[:24], (0, 0))
    if sums != struct.unpack(">II", wal[24:32]):
        return
    for at in range(_HEADER, len(wal) - _FRAME_HEADER - page_size + 1, _FRAME_HEADER + page_size):
        head = wal[at : at + _FRAME_HEADER]
        page = wal[at + _FRAME_HEADER : at + _FRAME_HEADER + page_size]
        sums = _checksum(order, head[:8] + page, sums)
        if head[8:16] != salt or sums != struct.unpack(">II", head[16:24]):
            return
        number, size_after = struct.unpack(">II", head[:8])
        yield number, size_after, page


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for word in words:
        first = (first + word + second) & _WORD
        second = (second + next(words) + first) & _WORD
    return first, second
