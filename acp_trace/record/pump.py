"""One direction of the traffic: read, write down, forward, in that order, with blocking calls.

The order is what keeps the promise that no complete frame reaches the other side before it is in
the trace. Blocking calls pass backpressure through: while one side does not read, the other one is
not read either. Two pumps in two threads never wait for each other, so a flood in both directions
at once cannot deadlock. A pump has one buffer, for as long as it lives: what it takes does not grow.
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
    """Moves bytes from one descriptor to another until one of them ends, then closes both.

    `record` takes in each read, and nothing at the end; it raises Closed.

    `counts` are the reads that were forwarded and their bytes, as one value, so that nobody sees the half
    of it; `reading` says whether it waits for more: what a drain looks at. `ended_ns` is when the source
    ended, by the monotonic clock; None before that, and if the target was gone first.
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
        """Runs the pump in a thread that does not keep the process alive."""
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Moves bytes until the source ends or the target is gone. Never raises."""
        try:
            self._move()
        except (OSError, MemoryError):
            pass  # the target hung up: closing the source lets the sender feel it, as it would have
        finally:
            self.reading = False
            try:
                with contextlib.suppress(Closed):
                    self._record(b"")
            finally:  # whatever goes wrong above, nobody waits for a pipe that nobody reads
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
            reads += 1  # counted last: until then somebody waits for these bytes
            moved += size
            self.counts = reads, moved


def _write_all(fd: int, left: memoryview) -> None:
    """Writes what the other side did not take at once."""
    while left:
        try:
            left = left[os.write(fd, left) :]
        except BlockingIOError:
            _wait(fd, writing=True)


def _wait(fd: int, *, writing: bool) -> None:
    """Waits for a descriptor that a client made non-blocking. It shares that flag with us, so it stays."""
    import select

    select.select([] if writing else [fd], [fd] if writing else [], [])


def _release(fd: int) -> None:
    """Lets go of a pipe, so that the other side sees its end.

    The standard descriptors stay taken, by the null device: a trace file opened later must never get
    their numbers. Standard error is kept as it is, for the one line that may have to be said.
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
