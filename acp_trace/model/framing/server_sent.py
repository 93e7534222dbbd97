"""Server-sent events (WHATWG HTML, 9.2): what most providers stream.

A lone carriage return does not end a line here: no provider ends its lines so, and a piece may end before the
line feed that follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from acp_trace.model.framing.events import Event
from acp_trace.model.framing.lines import LineCutter


class ServerSentEvents:
    """Events of an SSE stream. The last one needs no empty line after it: some servers forget it."""

    def __init__(self) -> None:
        self._lines = LineCutter()
        self._name: str | None = None
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that are complete with these bytes."""
        for line in self._lines.feed(data):
            yield from self._line(line)

    def end(self) -> Iterator[Event]:
        """The event that nothing ended, if there is one."""
        yield from self._line(self._lines.end())
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[Event]:
        if not line:
            if self._data:
                yield Event(self._name, b"\n".join(self._data))
            self._name, self._data = None, []
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
