"""One direction of the traffic: read, write down, forward, in that order, with blocking calls.

This order ensures that every complete frame is in the trace before it reaches the other side. Blocking calls
pass backpressure through: while one side does not read, the other side is not read either. Two pumps in two
threads never wait for each other, so a flood in both directions at once cannot deadlock. A pump has one
buffer for its whole life: its memory does not grow.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from io import FileIO

from acp_trace.record.drain import BLOCK
from acp_trace.record.sink import Closed, Data


class Pump:
    """Moves bytes from one descriptor to another until either ends, then closes both.

    `record` gets each read, and nothing at the end; it raises Closed.

    `counts` are the forwarded reads and their bytes, as one value, so that both are always consistent;
    `reading` is whether it waits for more: a drain looks at these. `ended_ns` is when the source ended, by
    the monotonic clock; None before that, and if the target closed first.
    """

    def __init__(self, source: int, target: int, record: Callable[[Data], object]) -> None:
        self._source = source
        self._target = target
        self._record = record
        self._buffer = bytearray(BLOCK)
        self.reading = False
        self.counts = (0, 0)
        self.ended_ns: int | None = None
        self.done = threading.Event()

    def start(self) -> None:
        """Run the pump in a thread that does not keep the process alive."""
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Move bytes until the source ends or the target closes. Never raises."""
        try:
            self._move()
        except (OSError, MemoryError):
            pass  # the target hung up: closing the source shows the sender, as without a recorder
        finally:
            self.reading = False
            try:
                with contextlib.suppress(Closed):
                    self._record(b"")
            finally:  # after any error, no side waits for a pipe without a reader
                _release(self._target)
                _release(self._source)
                self.done.set()

    def _move(self) -> None:
        write, record, source, target = os.write, self._record, self._source, self._target
        read = FileIO(source, "rb", closefd=False).readinto
        buffer = self._buffer
        view = memoryview(buffer)
        reads = moved = 0
        while True:
            self.reading = True
            size = read(buffer)
            self.reading = False
            if size is None:
                _wait(source, writing=False)
                continue
            if not size:
                self.ended_ns = time.monotonic_ns()
                return
            left = view[:size]
            record(left)
            try:
                done = write(target, left)
            except BlockingIOError:
                done = 0
            if done != size:
                _write_all(target, left[done:])
            reads += 1  # counted last: until then these bytes are not forwarded
            moved += size
            self.counts = reads, moved


def _write_all(fd: int, left: memoryview) -> None:
    """Write what the other side did not take at once."""
    while left:
        try:
            left = left[os.write(fd, left) :]
        except BlockingIOError:
            _wait(fd, writing=True)


def _wait(fd: int, *, writing: bool) -> None:
    """Wait for a descriptor that a client made non-blocking. The flag is shared with it, so it stays."""
    import select

    select.select([] if writing else [fd], [fd] if writing else [], [])


def _release(fd: int) -> None:
    """Close a pipe, so that the other side sees its end.

    The null device keeps the standard descriptors occupied: a trace file opened later must never get their
    numbers. Standard error is kept, for the one line that may have to be written.
    """
    try:
        if fd > 2:
            os.close(fd)
        elif fd < 2:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, fd)
            os.close(null)
    except OSError:
        pass
