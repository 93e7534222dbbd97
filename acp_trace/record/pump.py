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
from collections.abc import Callable

from acp_trace.record.drain import BLOCK
from acp_trace.record.sink import Closed, Sink
from acp_trace.trace.encode import Framer

_LONGEST_LOG = 1 << 16


class Pump:
    """Moves bytes from one descriptor to another until one of them ends, then closes both.

    `counts` are the reads done and the bytes that they gave, as one value, so that nobody sees the half
    of it; `reading` says whether it waits for more: what a drain looks at.
    """

    def __init__(self, source: int, target: int, record: Callable[[bytes], None]) -> None:
        self._source = source
        self._target = target
        self._record = record
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
        except OSError:
            pass  # the target hung up: closing the source lets the sender feel it, as it would have
        finally:
            self.reading = False
            with contextlib.suppress(Closed):
                record(b"")
            _release(target)
            _release(source)
            self.done.set()


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


def frames_of(sender: bytes, sink: Sink) -> Callable[[bytes], None]:
    """What a pump calls with each read of protocol traffic, and once with nothing at the end.

    The end may also come from another thread, when the agent is gone and the client says no more.
    """
    framer = Framer()
    one = threading.Lock()

    def record(data: bytes) -> None:
        with one:
            if not data:
                if rest := framer.rest():
                    sink.last(sender, rest)
            elif lines := framer.feed(data):
                sink.frames(sender, lines)

    return record


def logs_of(sink: Sink) -> Callable[[bytes], None]:
    """The same for the agent's stderr, where a line without end is cut: it is no protocol."""
    framer = Framer()
    held = 0

    def record(data: bytes) -> None:
        nonlocal held
        if lines := framer.feed(data) if data else b"":
            sink.logs(lines[:-1].split(b"\n"))
            held = 0
        held += len(data) - (data.rfind(b"\n") + 1)
        if (not data or held > _LONGEST_LOG) and (rest := framer.rest()):
            sink.logs([rest])
            held = 0

    return record
