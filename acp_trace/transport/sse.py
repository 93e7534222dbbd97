"""Server-sent events: bytes in any cut -> events, and an event -> bytes. Pure.

HTML Standard, "9.2.5 Parsing an event stream": lines end with CR LF, LF or CR; a blank line ends an event;
the lines of `data` are joined by newlines; an event without `data` is none. Data stay bytes, as they came:
what is not UTF-8, the reader of them judges.

`acp_trace.model.framing.server_sent` reads what providers of models really send: it takes an event that
nothing ended, which this one, by the standard, drops.
"""

from __future__ import annotations

from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `event`: its type, `message` if it names none; `id`: the last one that was set, or empty."""

    data: bytes
    event: str = "message"
    id: str = ""


class ServerSentStream:
    """Cuts a stream into events. Memory is that of the event that has not ended yet."""

    def __init__(self) -> None:
        self._pending = bytearray()  #: a line that has not ended
        self._searched = 0  #: bytes of it in which there is no end
        self._data: list[bytes] = []
        self._data_size = 0  #: bytes in it
        self._event = ""
        self._id = ""
        self._after_cr = False  #: a CR ended the last line; an LF that comes now belongs to it
        self._is_first = True

    @property
    def pending_bytes(self) -> int:
        """Bytes of a line or an event that has not ended; 0 between two events."""
        return self._data_size + len(self._pending)

    def feed(self, data: bytes) -> list[ServerEvent]:
        """The events that `data` completes."""
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        self._pending += data
        if self._is_first and not self._begins():
            return []
        return [event for line in self._lines() if (event := self._line(line))]

    def _begins(self) -> bool:
        """Whether it is known that no byte order mark stands first, or it is taken off."""
        if len(self._pending) < len(_BOM) and _BOM.startswith(bytes(self._pending)):
            return False
        self._is_first = False
        if self._pending.startswith(_BOM):
            del self._pending[: len(_BOM)]
        return True

    def _lines(self) -> list[bytes]:
        """The lines that have ended. What has been searched is not searched again."""
        buffer, lines, start, at = self._pending, [], 0, self._searched
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
        return ServerEvent(b"\n".join(data), event or "message", self._id) if data else None


def _line_end(buffer: bytearray, at: int) -> int:
    newline = buffer.find(b"\n", at)
    cr = buffer.find(b"\r", at, newline if newline >= 0 else len(buffer))
    return cr if cr >= 0 else newline


def event_bytes(data: bytes, *, event: str = "", id: str = "") -> bytes:
    """An event as it goes on the wire. `event` and `id` hold no line end."""
    head = (f"id: {id}\n" if id else "") + (f"event: {event}\n" if event else "")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return head.encode() + b"".join(b"data: %b\n" % line for line in lines) + b"\n"
