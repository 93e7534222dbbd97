"""Server-sent events: bytes in any pieces -> events, and an event -> bytes. Pure.

HTML Standard, "9.2.5 Parsing an event stream": lines end with CR LF, LF or CR; a blank line ends an event;
the lines of `data` are joined by newlines; an event without `data` is ignored. Data stay bytes, unchanged:
their reader decides about invalid UTF-8.

By the standard, an unterminated last event is ignored. Some model providers omit the blank line after their
last event, so their readers ask for it (`end`).
"""

from __future__ import annotations

from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
#: The type of an event without one.
UNNAMED = "message"


class ServerEvent(NamedTuple):
    """One event. `event`: its type, or UNNAMED; `id`: the last one that was set, or empty."""

    data: bytes
    event: str = UNNAMED
    id: str = ""


class ServerSentStream:
    """Cuts a stream into events. It holds only the event that has not ended yet."""

    def __init__(self) -> None:
        self._pending = bytearray()  #: a line that has not ended
        self._searched = 0  #: bytes of it without a line end
        self._data: list[bytes] = []
        self._data_size = 0  #: bytes in it
        self._event = ""
        self._id = ""
        self._after_cr = False  #: a CR ended the last line; an LF that follows belongs to it
        self._is_first = True

    @property
    def pending_bytes(self) -> int:
        """Bytes of an unfinished line or event; 0 between two events."""
        return self._data_size + len(self._pending)

    def feed(self, data: bytes) -> list[ServerEvent]:
        """Return the events that `data` completes."""
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        self._pending += data
        if self._is_first and not self._begins():
            return []
        return [event for line in self._lines() if (event := self._line(line))]

    def end(self) -> list[ServerEvent]:
        """Return the unterminated last event, if there is one."""
        return self.feed(b"\n\n")

    def _begins(self) -> bool:
        """Whether a byte order mark at the start has been ruled out or removed."""
        if len(self._pending) < len(_BOM) and _BOM.startswith(bytes(self._pending)):
            return False
        self._is_first = False
        if self._pending.startswith(_BOM):
            del self._pending[: len(_BOM)]
        return True

    def _lines(self) -> list[bytes]:
        """Return the lines that have ended. Bytes are searched only once."""
        lines: list[bytes] = []
        buffer, start, at = self._pending, 0, self._searched
        if buffer.find(b"\r", at) < 0:  # the usual case: twice as fast
            if buffer.find(b"\n", at) >= 0:
                *lines, rest = bytes(buffer).split(b"\n")
                self._pending = bytearray(rest)
            self._searched = len(self._pending)
            return lines
        while (end := _line_end(buffer, at)) >= 0:
            lines.append(bytes(buffer[start:end]))
            start = end + 1
            if buffer[end] == 0x0D:
                if start == len(buffer):
                    self._after_cr = True
                elif buffer[start] == 0x0A:
                    start += 1
            at = start
        del buffer[:start]
        self._searched = len(buffer)
        return lines

    def _line(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._dispatched()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._data_size += len(line)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        return None

    def _dispatched(self) -> ServerEvent | None:
        data, event = self._data, self._event
        self._data, self._data_size, self._event = [], 0, ""
        return ServerEvent(b"\n".join(data), event or UNNAMED, self._id) if data else None


def _line_end(buffer: bytearray, at: int) -> int:
    newline = buffer.find(b"\n", at)
    cr = buffer.find(b"\r", at, newline if newline >= 0 else len(buffer))
    return cr if cr >= 0 else newline


def event_bytes(data: bytes, *, event: str = "", id: str = "") -> bytes:
    """Return an event in its wire form. `event` and `id` must not contain a line end."""
    head = (f"id: {id}\n" if id else "") + (f"event: {event}\n" if event else "")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return head.encode() + b"".join(b"data: %b\n" % line for line in lines) + b"\n"
