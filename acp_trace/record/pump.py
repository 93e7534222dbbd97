"""One direction of the traffic: read, write down, forward, in that order, with blocking calls.

The order is what keeps the promise that no complete frame reaches the other side before it is in
the trace. Blocking calls pass backpressure through: while one side does not read, the other one is
not read either. Two pumps in two threads never wait for each other, so a flood in both directions
at once cannot deadlock.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

from acp_trace.record.drain import BLOCK
from acp_trace.record.sink import Closed

#: What is asked for when there is no memory for a block.
_LITTLE = 1 << 12
#: How often that is tried, and how long it waits in between: the other direction may be about to free some.
_TRIES, _PAUSE_S = 100, 0.02


class Pump:
    """Moves bytes from one descriptor to another until one of them ends, then closes both.

    `record` (`streams`) takes in each read, and nothing at the end; it raises Closed. `relieve` frees memory
    that anyone holds, and tells whether there was any.

    `counts` are the reads done and the bytes that they gave, as one value, so that nobody sees the half
    of it; `reading` says whether it waits for more: what a drain looks at.
    """

    def __init__(
        self, source: int, target: int, record: Callable[[bytes], None], relieve: Callable[[], bool]
    ) -> None:
        self._source = source
        self._target = target
        self._record = record
        self._relieve = relieve
        self.reading = False
        self.counts = (0, 0)
        self.done = threading.Event()

    def start(self) -> None:
        """Runs the pump in a thread that does not keep the process alive."""
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        """Moves bytes until the source ends or the target is gone. Never raises."""
        read, write, record = os.read, os.write, self._record
        source, target = self._source, self._target
        reads = moved = 0
        try:
            while True:
                self.reading = True
                try:
                    data = read(source, BLOCK)
                except BlockingIOError:
                    _wait(source, writing=False)
                    continue
                except MemoryError:
                    data = self._read_little()
                self.reading = False
                reads += 1
                moved += len(data)
                self.counts = reads, moved
                if not data:
                    break
                record(data)
                left: bytes | memoryview = data
                while left:
                    try:
                        done = write(target, left)
                    except BlockingIOError:
                        _wait(target, writing=True)
                        continue
                    if done == len(left):
                        break
                    left = memoryview(left)[done:]
        except (OSError, MemoryError):
            pass  # the target hung up: closing the source lets the sender feel it, as it would have
        finally:
            self.reading = False
            try:
                with contextlib.suppress(Closed):
                    record(b"")
            finally:  # whatever goes wrong above, nobody waits for a pipe that nobody reads
                _release(target)
                _release(source)
                self.done.set()

    def _read_little(self) -> bytes:
        """A few bytes, where there is no memory for a block. Raises MemoryError where there is never any."""
        for _ in range(_TRIES):
            if not self._relieve():
                time.sleep(_PAUSE_S)
            try:
                return os.read(self._source, _LITTLE)
            except BlockingIOError:
                _wait(self._source, writing=False)
            except MemoryError:
                continue
        raise MemoryError


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
