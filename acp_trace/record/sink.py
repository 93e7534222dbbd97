"""The capture while it is being written. Never raises OSError: what cannot be written becomes a gap.

Two rules. A block is in the file before anybody forwards it; and a failing disk never stops the traffic:
what could not be written is counted, and as soon as writing works again a gap says how much it was, and
why. One line on stderr says it when it begins. Nothing here knows lines, frames or agents.

Each stream has one thread that writes it, and appends with one system call, without a lock: the file system
puts the blocks of several streams one behind the other. Everything else (a file that must be opened, put back
or closed, a block that did not fit, a gap) happens slowly: under the lock, with all streams held.
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
        """Appends what was read from a stream; nothing read is its end. Raises Closed, and nothing else."""

        def __call__(
            self, data: Data, connection: int = MAIN, at: int | None = None, *, has_no_mark: bool = False
        ) -> bool:
            """Whether nothing is lost. `at`: when it was read, in ns of the trace; None: now."""


#: How long a capture may be gone from its directory before that is noticed.
_LOOK_EVERY_NS = 200_000_000
_COPY = 1 << 20
_PAUSE_S = 0.00005

#: What was read: bytes, or a view of the first of a buffer's bytes.
Data = bytes | memoryview


class Closed(OSError):
    """The footer is written: nothing that comes now may be forwarded, because it would be in no trace."""


class _Lost:
    """What of one stream is missing since it was last written."""

    def __init__(self) -> None:
        self.bytes = self.lines = self.rest = 0

    def add(self, data: Data, *, is_message: bool) -> None:
        """Counts one block. Nothing of it is copied: it may be memory that is missing.

        `is_message`: it is one frame, whatever newlines are in it.
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
    """Appends blocks to one capture: each stream from one thread, whatever else from any.

    `place(fill)` opens the file: it returns a descriptor open for reading and appending, whose file
    `fill` has written to, is locked and stands at its final path; it may raise OSError, and is then
    asked again. `header` is the document that the capture begins with. Times are ns since `started`, a
    reading of the monotonic clock.
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
        self._held = True  #: nobody appends without the lock
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
        """Where the trace is, once it could be opened."""
        return self._path

    def writer(self, stream: int) -> BlockWriter:
        """What appends to a stream, from one thread. A tee asks once: each read then costs one call."""
        return self._writers[stream]

    def write(self, stream: int, data: Data) -> bool:
        """Appends what was read from a stream; see `BlockWriter`."""
        return self._writers[stream](data, MAIN, None)

    def write_beside(self, stream: int, connection: int, t: int | None, data: bytes) -> bool:
        """Appends what was recorded beside the traffic; see `BlockWriter`."""
        return self._writers[stream](data, connection, t)

    def _writer(self, stream: int) -> BlockWriter:
        """One function, without a call for each of its parts.

        A client waits for it twice in a round trip, and on an idle machine it runs with cold caches: there
        each frame of a call costs several times what it costs in a loop.
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
            # First said, then looked: whoever holds the streams does it the other way round.
            writing[stream] = True
            try:
                if not self._held:
                    t = now() - started
                    if t - self._looked < _LOOK_EVERY_NS or self._is_there(t):
                        first = head(mark, t if at is None else at, size, stream, connection)
                        done = append(self._fd, first, data)
                        if done != HEAD_SIZE + size:
                            self._short[stream] = done  # before the streams can be held: `end` has to know
            except (OSError, MemoryError):
                pass
            finally:
                writing[stream] = False
            if done != HEAD_SIZE + size:
                return self._write_slowly(stream, data, first, done, connection)
            return True

        return write

    def _write_odd(self, stream: int, data: Data, connection: int, t: int | None) -> bool:
        """What may hold a mark."""
        is_written, write = True, self._writers[stream]
        for piece in self._without_marks(bytes(data)):
            is_written = write(piece, connection, t, has_no_mark=True) and is_written
        if any(data[-size:] == self._mark[:size] for size in range(1, min(MARK_SIZE, len(data) + 1))):
            # Whoever reads a live capture could not tell yet whether a mark begins there.
            self._write_slowly(RECORDER, b"{}", b"", 0)
        return is_written

    def _without_marks(self, data: bytes) -> list[bytes]:
        """What an agent says that prints its own capture, cut inside of each mark."""
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
        """Writes the footer, then closes the file. `error` says why an agent could not be started.

        `aborted`: why a run was ended by acp-trace, and not by its agent or its client.
        `client_left`: the client closed its side, or asked the agent to end, before that was gone.
        `signalled`: a signal asked the agent to end.
        `then` is called in between, with descriptor and path of a capture that is whole.
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

        It gets a descriptor for reading and writing, while nobody appends.
        """
        with self._lock:
            held, self._held = self._held, True
            self._hold()
            try:
                if self._fd < 0 or self._path is None:
                    return 0
                # Where this one stands open for appending, the system would append all the same.
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
        """`first`: the head that was tried; `done`: so many bytes of the block were appended, and no more.

        Whether it is written now.
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
        """Keeps all streams from appending, and waits for those that are just doing it."""
        self._held = True
        while any(self._writing):
            time.sleep(_PAUSE_S)

    def _append_all(self, stream: int, data: Data, connection: int = MAIN) -> None:
        """Appends gaps, if there are any to be told, and a block: all, or nothing and an OSError."""
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
            if gap and left >= len(gap):  # it is told, and cannot be taken back
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
        """Cuts off the beginning of a block; where another one stands behind it, readers pass it over."""
        at = os.fstat(self._fd).st_size - len(torn)
        is_last = pread(self._fd, len(torn), at) == torn
        self._torn += self._cut_to(at) if is_last else len(torn)

    def _cut_to(self, size: int) -> int:
        """Takes back what stands behind these bytes, which a look may have seen; how much is still there."""
        self._size = min(self._size, size)
        return cut_to(self._fd, size)

    def _open(self) -> None:
        self._fd, self._path = self._place(lambda fd: write_all(fd, self._first))

    def _is_there(self, t: int) -> bool:
        """Whether the file is still in a directory, and has all that was in it. Raises OSError."""
        if not os.fstat(self._fd).st_nlink or self._is_cut():
            return False
        self._looked = t
        return True

    def _is_cut(self) -> bool:
        """Whether another program has made the file shorter (`: > FILE`, copytruncate). Raises OSError."""
        size = os.fstat(self._fd).st_size
        if size < self._size:
            return True
        self._size = size
        return False

    def _after_cut(self) -> None:
        """What was cut off is lost, and told. If the beginning is, preamble and header are written once more.

        Then they stand before what was written since: of at most one look ago.
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
        self._size = len(self._first)  # should this fail, the next look finds it shorter again
        write_all(self._fd, self._first + since)

    def _restore(self) -> None:
        """The file was deleted under us: its bytes are still ours, so they go into a new one.

        Where that fails the deleted file is written on, and the next look tries again: nothing is
        lost as long as this process lives.
        """
        old = self._fd

        def copy(new: int) -> None:
            for piece in _pieces(old):
                write_all(new, piece)

        try:
            self._fd, self._path = self._place(copy)
        except OSError as error:
            self._tell(f"the trace was deleted and cannot be put back ({reason(error)})")
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
    """What a view is a view of: bytes, or a bytearray, which can be searched without a copy."""
    return data.obj if isinstance(data, memoryview) else data


def _pieces(fd: int) -> Iterator[bytes]:
    """All bytes of a file."""
    at = 0
    while piece := pread(fd, _COPY, at):
        yield piece
        at += len(piece)
