"""Pipes beside an event loop: input as it comes, output that never waits.

POSIX asks the loop which pipe is ready. The loop of Windows knows only sockets, so there a thread reads, and
another one writes. Callbacks run in the loop on every system.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Protocol

from acp_trace.system.choice import is_portable
from acp_trace.system.pipes import set_blocking, widen

#: Bytes that one read or write takes at most; also the wanted size of a pipe for output.
_MOST = 1 << 20
_READ = 4096


class Outlet(Protocol):
    """The end of a pipe that is written to."""

    def write(self, data: memoryview) -> int:
        """Take bytes from the beginning of `data`; return how many, 0 if there is no room. Raises OSError."""

    def when_writable(self, ready: Callable[[], None] | None) -> None:
        """Call `ready` whenever there is room, from now on; None: no longer."""

    def wait(self) -> None:
        """Wait until everything is on its way, as each further `write` then does."""


def outlet(fd: int, loop: asyncio.AbstractEventLoop) -> Outlet:
    """Return the outlet for a pipe. Only the loop's thread may use it."""
    return ThreadedOutlet(fd, loop) if is_portable() else PolledOutlet(fd, loop)


def receive(fd: int, loop: asyncio.AbstractEventLoop, received: Callable[[bytes], None]) -> None:
    """Call `received` with the input of a pipe, piece by piece, and at its end with no bytes."""
    if is_portable():
        threading.Thread(target=_read, args=(fd, loop, received), daemon=True).start()
        return

    def read() -> None:
        data = os.read(fd, _READ)
        if not data:
            loop.remove_reader(fd)
        received(data)

    loop.add_reader(fd, read)


def _read(fd: int, loop: asyncio.AbstractEventLoop, received: Callable[[bytes], None]) -> None:
    data = b"?"
    with contextlib.suppress(RuntimeError):  # the loop has ended
        while data:
            try:
                data = os.read(fd, _READ)
            except OSError:
                data = b""
            loop.call_soon_threadsafe(received, data)


class PolledOutlet:
    """See Outlet. The pipe does not block, and the loop reports when it has room."""

    def __init__(self, fd: int, loop: asyncio.AbstractEventLoop) -> None:
        self._fd, self._loop = fd, loop
        set_blocking(fd, False)
        widen(fd, _MOST)

    def write(self, data: memoryview) -> int:  # noqa: D102
        try:
            return os.write(self._fd, data[:_MOST])
        except BlockingIOError:
            return 0

    def when_writable(self, ready: Callable[[], None] | None) -> None:  # noqa: D102
        self._loop.remove_writer(self._fd)
        if ready is not None:
            self._loop.add_writer(self._fd, ready)

    def wait(self) -> None:  # noqa: D102
        set_blocking(self._fd, True)


class ThreadedOutlet:
    """See Outlet. A thread writes one piece at a time; while it does, there is no room."""

    def __init__(self, fd: int, loop: asyncio.AbstractEventLoop) -> None:
        self._fd, self._loop = fd, loop
        self._pieces: SimpleQueue[bytes] = SimpleQueue()
        self._is_idle = threading.Event()
        self._is_idle.set()
        self._error: OSError | None = None
        self._ready: Callable[[], None] | None = None
        self._waits = False
        threading.Thread(target=self._work, daemon=True).start()

    def write(self, data: memoryview) -> int:  # noqa: D102
        if self._error is not None:
            raise self._error
        if not self._is_idle.is_set():
            return 0
        if self._waits:
            return os.write(self._fd, data[:_MOST])
        self._is_idle.clear()
        self._pieces.put(piece := bytes(data[:_MOST]))
        return len(piece)

    def when_writable(self, ready: Callable[[], None] | None) -> None:  # noqa: D102
        self._ready = ready
        if ready is not None and self._is_idle.is_set():
            self._loop.call_soon(self._report)

    def wait(self) -> None:  # noqa: D102
        self._waits = True
        self._is_idle.wait()

    def _report(self) -> None:
        if self._ready is not None:
            self._ready()

    def _work(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            while self._error is None:
                left = memoryview(self._pieces.get())
                try:
                    while left:
                        left = left[os.write(self._fd, left) :]
                except OSError as error:
                    self._error = error
                self._is_idle.set()
                self._loop.call_soon_threadsafe(self._report)
