"""The trace file while it is being written. Never raises: what cannot be written becomes a gap.

The rule that this module keeps (design, idea 1): a failing disk never stops the traffic. Frames that
could not be written are counted; as soon as writing works again a `gap` entry says how many, and why.
One line on stderr says it when it begins. Nothing here knows pipes, signals or agents.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_trace.trace import encode, lock

#: How long a trace file may be gone from its folder before that is noticed.
_LOOK_EVERY_NS = 200_000_000
_COPY = 1 << 20
_LOCK_TRIES, _LOCK_PAUSE_S = 100, 0.001


class Closed(OSError):
    """The footer is written: nothing that comes now may be forwarded, because it would be in no trace."""


class Sink:
    """Appends entries to one trace file, from any thread.

    `place(fill)` opens the file: it returns a descriptor open for reading and appending, whose file
    `fill` has written to, is locked and stands at its final path; it may raise OSError, and is then
    asked again. Times are ns since `started`, a reading of the monotonic clock.
    """

    def __init__(
        self,
        place: Callable[[Callable[[int], None]], tuple[int, Path]],
        header: bytes,
        *,
        started: int,
        say: Callable[[str], None],
    ) -> None:
        self._place = place
        self._header = header
        self._started = started
        self._say = say
        self._said = False
        self._lock = threading.Lock()
        self._fd = -1
        self._path: Path | None = None
        self._good = 0  #: length of the file up to the last whole entry
        self._torn = False  #: bytes of a failed write could not be cut off again
        self._lost_frames = 0
        self._lost_bytes = 0
        self._reason = ""
        self._looked = 0
        self._closed = False  #: after the footer nothing more is written: the traffic is over
        self.written = {b"client": 0, b"agent": 0}  #: frames seen, by sender, lost ones included
        try:
            self._open()
        except OSError as error:
            self._fails(error)

    @property
    def path(self) -> Path | None:
        """Where the trace is, once it could be opened."""
        return self._path

    def frames(self, sender: bytes, lines: bytes) -> None:
        """Writes whole lines that `sender` sent, all with the time of now.

        Where it raises MemoryError it has written and counted nothing; so do `last` and `logs`.
        """
        with self._lock:
            t = time.monotonic_ns() - self._started
            entries, count = encode.frames(sender, t, lines)
            self._write(entries, t, count, len(lines) - count)
            self.written[sender] += count

    def last(self, sender: bytes, rest: bytes) -> None:
        """Writes the last line of `sender`, which came without its newline."""
        with self._lock:
            t = time.monotonic_ns() - self._started
            self._write(encode.frame(sender, t, rest, partial=True), t, 1, len(rest))
            self.written[sender] += 1

    def logs(self, lines: list[bytes]) -> None:
        """Writes lines of the agent's stderr."""
        with self._lock:
            t = time.monotonic_ns() - self._started
            self._write(b"".join([encode.log(t, line) for line in lines]), t, 0, 0)

    def lose(self, sender: bytes, frames: int, size: int, reason: str) -> None:
        """Notes frames of `sender`, of `size` bytes in all, that are forwarded and could not be kept."""
        with self._lock:
            if frames:
                self.written[sender] += frames
            self._lose(frames, size, OSError(0, reason))

    def end(self, exit_code: int | None, signal: int | None, error: str | None = None) -> None:
        """Writes the footer and closes the file. `error` says why an agent could not be started."""
        with self._lock:
            t = time.monotonic_ns() - self._started
            counts = {"client": self.written[b"client"], "agent": self.written[b"agent"]}
            footer: dict[str, Any] = {"exit_code": exit_code, "signal": signal, "frames": counts}
            if error is not None:
                footer["error"] = error
            self._looked = t - _LOOK_EVERY_NS
            self._write(encode.entry(t=t, end=footer), t, 0, 0)
            self._closed = True
            if self._fd >= 0:
                os.close(self._fd)

    def _open(self) -> None:
        self._fd, self._path = self._place(lambda fd: write_all(fd, self._header))
        self._good = os.fstat(self._fd).st_size
        self._torn = False

    def _write(self, entries: bytes, t: int, frames: int, size: int) -> None:
        if self._closed:
            raise Closed
        try:
            if self._fd < 0:
                self._open()
            elif t - self._looked >= _LOOK_EVERY_NS:
                self._looked = t
                if not os.fstat(self._fd).st_nlink:
                    self._restore()
            if self._reason:
                entries = self._gap(t) + entries
            self._append(entries)
        except OSError as error:
            self._lose(frames, size, error)
        else:
            self._reason = ""
            self._lost_frames = self._lost_bytes = 0

    def _gap(self, t: int) -> bytes:
        if not self._lost_frames:
            return b""
        return encode.gap(t, self._lost_frames, self._lost_bytes, self._reason)

    def _append(self, entries: bytes) -> None:
        """All of `entries`, or none of it and an OSError."""
        if self._torn:
            entries = b"\n" + entries
        try:
            write_all(self._fd, entries)
        except OSError:
            self._cut()
            raise
        self._good += len(entries)
        self._torn = False

    def _cut(self) -> None:
        try:
            if os.fstat(self._fd).st_size != self._good:
                os.ftruncate(self._fd, self._good)
            self._torn = False
        except OSError:
            self._torn = True

    def _restore(self) -> None:
        """The file was deleted under us: its bytes are still ours, so they go into a new one.

        Where that fails the deleted file is written on, and the next look tries again: nothing is
        lost as long as this process lives.
        """
        old = self._fd

        def copy(new: int) -> None:
            at = 0
            while block := os.pread(old, _COPY, at):
                write_all(new, block)
                at += len(block)

        try:
            self._fd, self._path = self._place(copy)
        except OSError as error:
            self._tell(f"the trace was deleted and cannot be put back ({_short(error)})")
        else:
            os.close(old)

    def _lose(self, frames: int, size: int, error: OSError) -> None:
        self._lost_frames += frames
        self._lost_bytes += size
        self._fails(error)

    def _fails(self, error: OSError) -> None:
        self._reason = _short(error)
        where = f": {error.filename}" if error.filename else ""
        self._tell(f"cannot write the trace ({self._reason}{where}); the traffic goes on unrecorded")

    def _tell(self, what: str) -> None:
        if not self._said:
            self._said = True
            self._say(what)


def write_all(fd: int, data: bytes) -> None:
    """Writes all of it, also where the system takes a part at a time. Raises OSError."""
    done = os.write(fd, data)
    while done < len(data):
        done += os.write(fd, memoryview(data)[done:])


def _short(error: OSError) -> str:
    return error.strerror or type(error).__name__


def hold(fd: int) -> None:
    """Locks a trace file for its recorder; a file system without locks goes without.

    Whoever looks whether the recorder is alive holds the lock for a moment: that is waited for.
    """
    for _ in range(_LOCK_TRIES):
        try:
            lock.hold(fd)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
        except OSError:
            return
        else:
            return
