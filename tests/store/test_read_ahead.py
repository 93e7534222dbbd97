"""Reading ahead: in order, up to so many bytes, and over when the block is."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from acp_trace.store.read_ahead import read_ahead
from tests.support import until


def _pieces(*pieces: bytes) -> Callable[[], bytes]:
    left = iter(pieces)
    return lambda: next(left, b"")


@pytest.mark.parametrize("most", [1, 5, 1000])
def test_all_pieces_come_in_order(most: int) -> None:
    """However few may wait, and though the reader is the faster one."""
    given = [b"%d" % number * 3 for number in range(300)]
    with read_ahead(_pieces(*given), most) as get:
        assert list(iter(get, b"")) == given


def test_no_more_than_allowed_waits() -> None:
    """Counted in bytes: one more piece is read when what waits is below the limit."""
    read = list[bytes]()

    def source() -> bytes:
        read.append(b"x" * 10)
        return read[-1]

    with read_ahead(source, 25) as get:
        until(lambda: len(read) >= 3, "three pieces")
        for taken in range(50):
            assert len(read) - taken <= 3
            get()
        until(lambda: len(read) == 53, "as many as may wait")


def test_an_error_is_the_end() -> None:
    """Whoever asks does not wait for ever."""
    pieces = _pieces(b"one")

    def source() -> bytes:
        piece = pieces()
        if not piece:
            raise MemoryError
        return piece

    with read_ahead(source, 100) as get:
        assert (get(), get()) == (b"one", b"")


def test_the_thread_ends_with_the_block() -> None:
    """Also while it waits for room, and whatever ended the block."""
    before = threading.active_count()
    with pytest.raises(ValueError, match="enough"), read_ahead(lambda: b"xxx", 5) as get:  # noqa: PT012
        get()
        raise ValueError("enough")
    until(lambda: threading.active_count() == before, "the end of the thread")
