"""Work in a thread: what goes on is interrupted when it is closed, and only then given up."""

from __future__ import annotations

import threading
from typing import cast

import duckdb

from acp_trace.store.interruptible import InterruptibleConnection
from tests.support import DEADLINE_S


class _Connection:
    """Works until somebody interrupts it."""

    def __init__(self) -> None:
        self.working, self.interrupted = threading.Event(), threading.Event()

    def execute(self, _: str) -> None:
        self.working.set()
        self.interrupted.wait(DEADLINE_S / 10)

    def interrupt(self) -> None:
        self.interrupted.set()

    description = ()


def test_closing_interrupts_what_goes_on() -> None:
    """Before anybody says that it is stuck."""
    connection, stuck = _Connection(), list[str]()
    shared = InterruptibleConnection(
        cast(duckdb.DuckDBPyConnection, connection), lambda: stuck.append("stuck")
    )
    asking = threading.Thread(target=shared.execute, args=("SELECT",))
    asking.start()
    assert connection.working.wait(DEADLINE_S)
    shared.close()
    asking.join()
    assert connection.interrupted.is_set()
    assert not stuck
