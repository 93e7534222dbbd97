"""The capture being written. Never raises OSError: what cannot be written becomes a gap.

Two rules. A block is in the file before it is forwarded; and a failing disk never stops the traffic: what
could not be written is counted, and as soon as writing works again a gap records its size and the reason. One
line on stderr reports the start of a loss. Nothing here knows lines, frames or agents.

Each stream has one thread that writes it and appends with one system call, without a lock: the file system
puts the blocks of several streams one after the other. Everything else (opening, restoring or closing a file,
a block that did not fit, a gap) is the slow path: under the lock, with all streams held.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator

from acp_trace.record.descriptor import append, cut_to, write_all
from acp_trace.system.files import pread
from acp_trace.trace.capture_layout import (
    FIRST,
    HEAD_SIZE,
    HTTP,
    LAST_STREAM,
    MAIN,
    MARK_SIZE,
    RECORDER,
    block,
    head,
    new_mark,
    preamble,
)
from acp_trace.trace.document import document
from acp_trace.trace.os_errors import reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class BlockWriter(Protocol):
        """Appends what was read from a stream; empty data is its end. Raises Closed, and nothing else."""

        def __call__(
            self, data: Data, connection: int = MAIN, at: int | None = None, *, has_no_mark: bool = False
        ) -> bool:
            """Return whether nothing is lost. `at`: when it was read, in ns of the trace; None: now."""


#: ns until a capture that is missing from its directory is noticed, at most.
_LOOK_EVERY_NS = 200_000_000
_COPY = 1 << 20
_PAUSE_S = 0.00005

#: Data that was read: bytes, or a view of the first bytes of a buffer.
Data = bytes | memoryview


class Closed(OSError):
    """The footer is written: nothing that comes now may be forwarded, because no trace would have it."""


class _Lost:
    """What is missing of one stream since it was last written."""

    def __init__(self) -> None:
        self.bytes = self.lines = self.rest = 0

    def add(self, data: Data, *, is_message: bool) -> None:
        """Count one block, without copying any of it: memory may be what is short.

        `is_message`: it is one frame, even if it contains newlines.
        """
        whole = _buffer(data)
        size = len(data)
        if is_message:
            self.bytes, self.lines = self.bytes + size, self.lines + 1
            return
        self.bytes += size
        self.lines += whole.count(b"\n", 0, size)
        last = whole.rfind(b"\n", 0, size)
        self.rest = self.rest + size if last < 0 else size - last - 1


class Sink:
    """Appends blocks to one capture: each stream from one thread, everything else from any.

    `place(fill)` opens the file: it returns a descriptor open for reading and appending. `fill` has written
    to its file, which is locked and at its final path. It may raise OSError, and is then called again.
    `header` is the document that the capture begins with. Times are ns since `started`, a reading of the
    monotonic clock.
    """

    def __init__(
        self,
        place: Callable[[Callable[[int], None]], tuple[int, str]],
        header: bytes,
        *,
        started: int,
        say: Callable[[str], None],
    ) -> None:
        self._place = place
        self._started = started
        self._say = say
        self._said = False
        self._mark = new_mark()
        self._first = preamble(self._mark) + block(self._mark, 0, RECORDER, header)
        self._lock = threading.Lock()
        self._writing = [False] * (LAST_STREAM + 1)  #: by stream: its thread is about to append
        self._held = True  #: no thread appends without the lock
        self._closed = False
        self._fd = -1
        self._path: str | None = None
        self._looked = 0
        self._lost: dict[int, _Lost] = {}
        self._torn = 0  #: bytes of failed writes that could not be cut off again
        self._short: dict[int, int] = {}  #: by stream: bytes of a write that failed just now
        self._size = 0  #: of the file, at the last look
        self._cut = 0  #: bytes that another program has cut off
        self._reason = ""
        try:
            self._open()
        except OSError as error:
            self._fails(error)
        self._held = self._fd < 0
        self._writers = [self._writer(number) for number in range(LAST_STREAM + 1)]

    @property
    def path(self) -> str | None:
        """Where the trace is, once it has been opened."""
        return self._path

    def writer(self, stream: int) -> BlockWriter:
        """Return the writer of a stream, for one thread. A tee asks once: each read then costs one call."""
        return self._writers[stream]

    def write(self, stream: int, data: Data) -> bool:
        """Append what was read from a stream; see `BlockWriter`."""
        return self._writers[stream](data, MAIN, None)

    def write_beside(self, stream: int, connection: int, t: int | None, data: bytes) -> bool:
        """Append what was recorded beside the traffic; see `BlockWriter`."""
        return self._writers[stream](data, connection, t)

    def _writer(self, stream: int) -> BlockWriter:
        """Return one function that does it all, without a call for each part.

        A client waits for it twice in a round trip, and on an idle machine it runs with cold caches: there
        each call frame costs several times what it costs in a loop.
        """
        writing, mark, started, now = self._writing, self._mark, self._started, time.monotonic_ns

        def write(
            data: Data, connection: int = MAIN, at: int | None = None, *, has_no_mark: bool = False
        ) -> bool:
            size = len(data)
            whole: Any = data.obj if isinstance(data, memoryview) else data  # a view cannot be searched
            if whole.find(FIRST, 0, size) >= 0 and not has_no_mark:
                return self._write_odd(stream, data, connection, at)
            first, done = b"", 0
            # First set the flag, then look; `_hold` does it in the opposite order.
            writing[stream] = True
            try:
                if not self._held:
                    t = now() - started
                    if t - self._looked < _LOOK_EVERY_NS or self._is_there(t):
                        first = head(mark, t if at is None else at, size, stream, connection)
                        done = append(self._fd, first, data)
                        if done != HEAD_SIZE + size:
                            self._short[stream] = done  # before the streams can be held: `end` needs it
            except (OSError, MemoryError):
                pass
            finally:
                writing[stream] = False
            if done != HEAD_SIZE + size:
                return self._write_slowly(stream, data, first, done, connection)
            return True

        return write

    def _write_odd(self, stream: int, data: Data, connection: int, t: int | None) -> bool:
        """Append data that may hold a mark."""
        is_written, write = True, self._writers[stream]
        for piece in self._without_marks(bytes(data)):
            is_written = write(piece, connection, t, has_no_mark=True) and is_written
        if any(data[-size:] == self._mark[:size] for size in range(1, min(MARK_SIZE, len(data) + 1))):
            # A reader of a live capture could not tell yet whether a mark begins there.
            self._write_slowly(RECORDER, b"{}", b"", 0)
        return is_written

    def _without_marks(self, data: bytes) -> list[bytes]:
        """Return the data of an agent that prints its own capture, cut inside each mark."""
        half = MARK_SIZE // 2
        first, *others = data.split(self._mark)
        pieces = [first, *(self._mark[half:] + other for other in others)]
        return [piece + self._mark[:half] for piece in pieces[:-1]] + pieces[-1:]

    def end(
        self,
        exit_code: int | None,
        signal: int | None,
        error: str | None = None,
        then: Callable[[int, str], None] | None = None,
        *,
        aborted: str | None = None,
        client_left: bool = False,
        signalled: bool = False,
    ) -> None:
        """Write the footer, then close the file. `error`: why an agent could not be started.

        `aborted`: why acp-trace, and not the agent or its client, ended a run. `client_left`: the client
        closed its side, or asked the agent to end, before the agent ended. `signalled`: a signal asked the
        agent to end. `then` is called in between, with descriptor and path of a whole capture.
        """
        footer: dict[str, object] = {"exit_code": exit_code, "signal": signal}
        if error is not None:
            footer["error"] = error
        if aborted is not None:
            footer["aborted"] = aborted
        if client_left:
            footer["client_left"] = True
        if signalled:
            footer["signalled"] = True
        with self._lock:
            self._hold()
            self._torn += sum(self._short.values())
            try:
                self._append_all(RECORDER, document({"end": footer}))
            except (OSError, MemoryError) as cause:
                self._fails(cause)
            else:
                if then is not None and self._path is not None:
                    then(self._fd, self._path)
            self._closed = True
            if self._fd >= 0:
                os.close(self._fd)

    def change(self, of: Callable[[int], int]) -> int:
        """Let `of` overwrite bytes of the file, and return what it returns; 0 if that is not possible.

        It gets a descriptor for reading and writing, while all appends are held.
        """
        with self._lock:
            held, self._held = self._held, True
            self._hold()
            try:
                if self._fd < 0 or self._path is None:
                    return 0
                # On a descriptor open for appending, the system would append in any case.
                fd = os.open(self._path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
                try:
                    return of(fd) if os.path.samestat(os.fstat(fd), os.fstat(self._fd)) else 0
                finally:
                    os.close(fd)
            except (OSError, MemoryError):
                return 0
            finally:
                self._held = held

    def _write_slowly(self, stream: int, data: Data, first: bytes, done: int, connection: int = MAIN) -> bool:
        """Append a block on the slow path, and return whether it is written now.

        `first`: the head that was tried; `done`: the number of bytes of the block already appended.
        """
        with self._lock:
            self._hold()
            if self._closed:
                raise Closed
            self._short.pop(stream, None)
            try:
                if done:
                    self._take_back((first + data)[:done])
                self._append_all(stream, data, connection)
            except (OSError, MemoryError) as error:
                self._lost.setdefault(stream, _Lost()).add(data, is_message=stream in HTTP)
                self._fails(error)
            self._held = bool(self._lost) or self._fd < 0
            return not self._lost

    def _hold(self) -> None:
        """Keep all streams from appending, and wait for appends in progress."""
        self._held = True
        while any(self._writing):
            time.sleep(_PAUSE_S)

    def _append_all(self, stream: int, data: Data, connection: int = MAIN) -> None:
        """Append gaps, if there are any to report, and a block: all, or nothing and an OSError."""
        t = time.monotonic_ns() - self._started
        if self._fd < 0:
            self._open()
        elif stream == RECORDER or t - self._looked >= _LOOK_EVERY_NS:
            self._looked = t
            if not os.fstat(self._fd).st_nlink:
                self._restore()
            if self._is_cut():
                self._after_cut()
        gap = self._gap(t)
        whole = gap + block(self._mark, t, stream, data, connection)
        size = os.fstat(self._fd).st_size
        try:
            write_all(self._fd, whole)
        except OSError:
            left = self._cut_to(size)
            if gap and left >= len(gap):  # the gap is written, and cannot be removed
                self._lost.clear()
                self._torn, left = 0, left - len(gap)
            self._torn += left
            raise
        self._lost.clear()
        self._torn = self._cut = 0

    def _gap(self, t: int) -> bytes:
        if not (self._lost or self._torn or self._cut):
            return b""
        streams = [
            {"stream": stream, "bytes": lost.bytes, "lines": lost.lines, "rest": lost.rest}
            for stream, lost in sorted(self._lost.items())
            if lost.bytes
        ]
        gap = {"reason": self._reason, "torn": self._torn, "cut": self._cut, "streams": streams}
        return block(self._mark, t, RECORDER, document({"gap": gap}))

    def _take_back(self, torn: bytes) -> None:
        """Cut off the beginning of a block; if another block follows it, readers skip it."""
        at = os.fstat(self._fd).st_size - len(torn)
        is_last = pread(self._fd, len(torn), at) == torn
        self._torn += self._cut_to(at) if is_last else len(torn)

    def _cut_to(self, size: int) -> int:
        """Remove what follows these bytes, which a look may have seen; return how much remains."""
        self._size = min(self._size, size)
        return cut_to(self._fd, size)

    def _open(self) -> None:
        self._fd, self._path = self._place(lambda fd: write_all(fd, self._first))

    def _is_there(self, t: int) -> bool:
        """Whether the file is still in a directory, with its full size. Raises OSError."""
        if not os.fstat(self._fd).st_nlink or self._is_cut():
            return False
        self._looked = t
        return True

    def _is_cut(self) -> bool:
        """Whether another program has shortened the file (`: > FILE`, copytruncate). Raises OSError."""
        size = os.fstat(self._fd).st_size
        if size < self._size:
            return True
        self._size = size
        return False

    def _after_cut(self) -> None:
        """Report what was cut off as lost. If the beginning was, write preamble and header once more.

        They come before what was written since the last look.
        """
        size = os.fstat(self._fd).st_size
        self._cut += self._size - size
        self._reason = "another program has cut the file off"
        self._tell(f"the trace was cut off by another program: at least {self._cut} bytes are lost")
        if pread(self._fd, len(self._first), 0) == self._first:
            self._size = size
            return
        since = b"".join(_pieces(self._fd))
        os.ftruncate(self._fd, 0)
        self._size = len(self._first)  # if this fails, the next look finds it shorter again
        write_all(self._fd, self._first + since)

    def _restore(self) -> None:
        """Copy a deleted file, whose bytes are still readable here, into a new file.

        If that fails, writing goes on in the deleted file, and the next look tries again: nothing is lost
        while this process lives.
        """
        old = self._fd

        def copy(new: int) -> None:
            for piece in _pieces(old):
                write_all(new, piece)

        try:
            self._fd, self._path = self._place(copy)
        except OSError as error:
            self._tell(f"the trace was deleted and cannot be restored ({reason(error)})")
        else:
            os.close(old)

    def _fails(self, error: OSError | MemoryError) -> None:
        self._reason = reason(error)
        where = f": {error.filename}" if isinstance(error, OSError) and error.filename else ""
        self._tell(f"cannot write the trace ({self._reason}{where}); the traffic goes on unrecorded")

    def _tell(self, what: str) -> None:
        if not self._said:
            self._said = True
            self._say(what)


def _buffer(data: Data) -> Any:
    """Return the object behind a view: bytes, or a bytearray, which can be searched without a copy."""
    return data.obj if isinstance(data, memoryview) else data


def _pieces(fd: int) -> Iterator[bytes]:
    """Yield all bytes of a file."""
    at = 0
    while piece := pread(fd, _COPY, at):
        yield piece
        at += len(piece)
