"""Who has the store, and who waits for whom."""

from __future__ import annotations

import threading

from acp_trace.view.store_access import StoreAccess
from tests.support import DEADLINE_S


def test_many_read_and_nobody_loads_meanwhile() -> None:
    """Loading is given up, not waited for."""
    store = StoreAccess()
    with store.reading(), store.reading():
        with store.loading() as is_free:
            assert not is_free
        assert not store.is_loading
    with store.loading() as is_free:
        assert is_free
        with store.loading() as is_free_again:
            assert not is_free_again
        assert store.is_loading


def test_a_reader_waits_until_it_is_loaded() -> None:
    """And reads then."""
    store = StoreAccess()
    has_read = threading.Event()

    def read() -> None:
        with store.reading():
            assert not store.is_loading
            has_read.set()

    with store.loading():
        reader = threading.Thread(target=read)
        reader.start()
        assert not has_read.is_set()
    assert has_read.wait(DEADLINE_S)
    reader.join()
