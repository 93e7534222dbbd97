"""The pipes to a peer, as the player sees them: what has come, whether there is room, whether to stop.

There are two kinds. `PolledLink` asks the system which pipe is ready, with `poll`. Windows cannot poll pipes:
`ThreadedLink` has a thread for each of the two, and needs only blocking reads and writes. `link` chooses;
`ACP_TRACE_LOOP=threads` chooses the second on any system. The bytes have no meaning here.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import NamedTuple, Protocol

from acp_trace.record.drain import BLOCK
from acp_trace.replay.drive.waits import ONCE_LOOK_S, Once, poll_ms
from acp_trace.replay.timeouts import LONGEST_WAIT_NS, SECOND
from acp_trace.system.choice import has_poll
from acp_trace.system.pipes import ready, set_blocking

#: Blocks that are read ahead: after these the peer has to wait.
_MOST_BLOCKS = 16
#: Bytes that may wait for the writing thread: beyond these there is no room.
_MOST_BYTES = 1 << 20


class PeerPipes(NamedTuple):
    """The descriptors to the peer, and the wish to stop.

    A player makes both descriptors non-blocking, or reads and writes copies of them. The caller closes them.
    """

    reads: int
    writes: int
    stop: Once


class PeerLink(Protocol):
    """What a player needs of two pipes."""

    def wait(self, longest_ns: int | None, *, for_input: bool, for_room: bool) -> bool:
        """Wait for input, for room, a wish to stop or the end of the time; return whether there is input."""

    def read(self) -> bytes | None:
        """Return what has come; None if nothing has, and empty bytes at the end of the input."""

    def write(self, data: bytes) -> int:
        """Return how many bytes it accepted, 0 without room. Raises OSError if the peer closed its input."""

    @property
    def is_writing(self) -> bool:
        """Whether accepted bytes are still waiting."""

    def close(self, longest_ns: int) -> None:
        """Release the pipes. Accepted bytes are written first, unless that takes longer."""


class PolledLink:
    """A link that polls the pipes."""

    is_writing = False

    def __init__(self, pipes: PeerPipes) -> None:
        self._pipes = pipes
        set_blocking(pipes.reads, False)
        set_blocking(pipes.writes, False)

    def wait(self, longest_ns: int | None, *, for_input: bool, for_room: bool) -> bool:
        """See `PeerLink`."""
        reads, writes, stop = self._pipes
        inputs, rooms = [stop.fd, reads] if for_input else [stop.fd], [writes] if for_room else []
        return reads in ready(inputs, rooms, poll_ms(LONGEST_WAIT_NS if longest_ns is None else longest_ns))

    def read(self) -> bytes | None:
        """See `PeerLink`."""
        try:
            return os.read(self._pipes.reads, BLOCK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def write(self, data: bytes) -> int:
        """See `PeerLink`."""
        try:
            return os.write(self._pipes.writes, data)
        except BlockingIOError:
            return 0

    def close(self, longest_ns: int) -> None:
        """See `PeerLink`."""


class ThreadedLink:
    """One thread reads, another one writes; both hold copies of the descriptors, which they close themselves.

    So a descriptor is never used after the caller has closed it and the system has reused its number.
    """

    def __init__(self, pipes: PeerPipes) -> None:
        self._stop = pipes.stop
        self._changed = threading.Condition()
        self._come: deque[bytes] = deque()  #: empty bytes are the end
        self._going: deque[bytes] = deque()
        self._waiting = 0  #: bytes of these, and of the current write
        self._closed = threading.Event()
        self._deaf = False
        reads, writes = os.dup(pipes.reads), os.dup(pipes.writes)
        threading.Thread(target=self._read_on, args=(reads,), daemon=True).start()
        self._writer = threading.Thread(target=self._write_on, args=(writes,), daemon=True)
        self._writer.start()

    def wait(self, longest_ns: int | None, *, for_input: bool, for_room: bool) -> bool:
        """See `PeerLink`."""
        until = None if longest_ns is None else time.monotonic_ns() + min(longest_ns, LONGEST_WAIT_NS)
        was_writing = self.is_writing
        with self._changed:
            while not (
                (for_input and self._come)
                or self._stop.is_set()
                or (for_room and (self._deaf or self._waiting < _MOST_BYTES))
                or (was_writing and not self._waiting)
            ):
                left = ONCE_LOOK_S if until is None else (until - time.monotonic_ns()) / SECOND
                if left <= 0:
                    break
                self._changed.wait(min(left, ONCE_LOOK_S))
            return for_input and bool(self._come)

    def read(self) -> bytes | None:
        """See `PeerLink`."""
        with self._changed:
            if not self._come:
                return None
            data = self._come[0]
            if data:
                self._come.popleft()
                self._changed.notify_all()
            return data

    def write(self, data: bytes) -> int:
        """See `PeerLink`."""
        with self._changed:
            if self._deaf:
                raise BrokenPipeError
            if self._waiting >= _MOST_BYTES:
                return 0
            self._going.append(data)
            self._waiting += len(data)
            self._changed.notify_all()
        return len(data)

    @property
    def is_writing(self) -> bool:
        """See `PeerLink`."""
        return self._waiting > 0 and not self._deaf

    def close(self, longest_ns: int) -> None:
        """See `PeerLink`."""
        until = time.monotonic_ns() + longest_ns
        with self._changed:
            while self.is_writing and (left := until - time.monotonic_ns()) > 0:
                self._changed.wait(min(left / SECOND, ONCE_LOOK_S))
            self._closed.set()
            is_idle = not self._waiting
            self._changed.notify_all()
        if is_idle:  # else it ends as soon as the peer reads or leaves
            self._writer.join()

    def _read_on(self, fd: int) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._closed.is_set() or len(self._come) < _MOST_BLOCKS)
                    if self._closed.is_set():
                        return
                try:
                    data = os.read(fd, BLOCK)
                except OSError:
                    data = b""
                with self._changed:
                    self._come.append(data)
                    self._changed.notify_all()
                if not data:
                    return
        finally:
            os.close(fd)

    def _write_on(self, fd: int) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._closed.is_set() or self._going)
                    if self._closed.is_set():
                        return
                    data = self._going.popleft()
                while data:
                    done = os.write(fd, data)
                    data = data[done:]
                    with self._changed:
                        self._waiting -= done
                        self._changed.notify_all()
                        if self._closed.is_set():
                            return
        except OSError:
            with self._changed:
                self._deaf = True
                self._changed.notify_all()
        finally:
            os.close(fd)


def link(pipes: PeerPipes) -> PeerLink:
    """Return the link that this system has, or the one that `ACP_TRACE_LOOP` names."""
    return PolledLink(pipes) if has_poll() else ThreadedLink(pipes)
