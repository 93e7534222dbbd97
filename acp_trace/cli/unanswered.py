"""Signals that end a command while a place does not answer: Python sees none of them until it does.

The package that asks a place (obstore) waits in native code, for minutes if a server is silent. So the
system writes each signal into a pipe as well, and a thread ends this process if Python has not seen the
signal two seconds later. What that leaves (a directory for scratch) the next command removes; in the place
nothing is half. What must be put away first has no business within `ended_by_signals`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from acp_trace.cli import signals
from acp_trace.system.pipes import set_blocking

_NOTICES_S = 2.0


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Within, a signal that `signals` turns into an exception ends this process at the latest 2 s later."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    set_blocking(writer, False)
    over = threading.Event()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        threading.Thread(target=_watch, args=[reader, over], daemon=True).start()
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        os.close(writer)


def _watch(reader: int, over: threading.Event) -> None:
    """End this process by the first signal that the main thread does not see."""
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while number := pipe.read(1):
            if not over.wait(_NOTICES_S) and signals.is_unseen(number[0]):
                os._exit(128 + number[0])
