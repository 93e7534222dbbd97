"""What a pump does with each read: one side's frames, or stderr's log lines, handed to the sink.

Lines are cut here, and what does not fit into memory is given up here: the traffic goes on, and the sink
is told what was lost. Nothing here reads or writes a descriptor.
"""

from __future__ import annotations

import threading

from acp_trace.record.sink import Sink
from acp_trace.trace.encode import Framer

_LONGEST_LOG = 1 << 16
_NO_MEMORY = "Cannot allocate memory"


class FrameStream:
    """The protocol traffic of one side: called with each read, and with nothing at the end.

    The end may also come from another thread, when the agent is gone and the client says no more.
    """

    def __init__(self, sender: bytes, sink: Sink) -> None:
        self._sender = sender
        self._sink = sink
        self._framer = Framer()
        self._lock = threading.Lock()
        self._lost = 0  #: bytes of the unfinished line that were given up: it is lost whole

    def __call__(self, data: bytes) -> None:
        """Takes in bytes. Raises Closed (`sink`), and nothing else."""
        with self._lock:
            if self._lost:
                data = self._skipped(data)
            lines = b""
            try:
                if data:
                    lines = self._framer.feed(data)
                    if lines:
                        self._sink.frames(self._sender, lines)
                elif rest := self._framer.rest():
                    self._sink.last(self._sender, rest)
            except MemoryError:
                self._lose(lines or data, fed=bool(lines))

    def give_up(self) -> bool:
        """Forgets the line that is unfinished, to get its memory back; whether there was one."""
        with self._lock:
            size = self._framer.drop()
            self._lost += size
            return size > 0

    def _lose(self, data: bytes, *, fed: bool) -> None:
        """Gives up the lines that `data` completes; `fed`: the framer has passed them on already."""
        frames = data.count(b"\n")
        if fed:
            self._sink.lose(self._sender, frames, len(data) - frames, _NO_MEMORY)
            return
        held = self._framer.drop()
        if not frames:
            self._lost += held + len(data)
            if not data:  # the end
                self._over()
            return
        whole = data.rfind(b"\n") + 1
        self._sink.lose(self._sender, frames, held + whole - frames, _NO_MEMORY)
        self._framer.feed(data[whole:])

    def _skipped(self, data: bytes) -> bytes:
        """What comes after the rest of a line that was given up."""
        line, newline, data = data.partition(b"\n")
        self._lost += len(line)
        if newline or not line:
            self._over()
        return data

    def _over(self) -> None:
        self._sink.lose(self._sender, 1, self._lost, _NO_MEMORY)
        self._lost = 0


class LogStream:
    """The same for the agent's stderr, where a line without end is cut: it is no protocol."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._framer = Framer()
        self._held = 0

    def __call__(self, data: bytes) -> None:
        """Takes in bytes. Raises Closed (`sink`), and nothing else."""
        try:
            self._take(data)
        except MemoryError:
            self._sink.lose(b"", 0, 0, _NO_MEMORY)

    def _take(self, data: bytes) -> None:
        if lines := self._framer.feed(data) if data else b"":
            self._sink.logs(lines[:-1].split(b"\n"))
            self._held = 0
        self._held += len(data) - (data.rfind(b"\n") + 1)
        if (not data or self._held > _LONGEST_LOG) and (rest := self._framer.rest()):
            self._sink.logs([rest])
            self._held = 0
