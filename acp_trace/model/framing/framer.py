"""Which framer a response needs: its content type decides, and its first byte if the type is wrong.

Providers answer a request for a stream with an error as plain JSON, sometimes under the content type of the
stream. So a text that begins as JSON is read as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from acp_trace.model.framing.event_stream import EventStream
from acp_trace.model.framing.events import Event, EventFramer
from acp_trace.model.framing.texts import JsonArray, JsonLines, JsonText
from acp_trace.transport.sse import UNNAMED, ServerEvent, ServerSentStream

_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
#: By a part of the content type. For those after the first row, the first byte counts too.
_BINARY = "vnd.amazon.eventstream"
_LINES = ("ndjson", "jsonl", "json-seq", "stream+json")


class Framing:
    """Cuts a response into events. `content_type` may be empty."""

    def __init__(self, content_type: str) -> None:
        self._type = content_type.lower()
        self._framer: EventFramer | None = EventStream() if _BINARY in self._type else None
        self._early = b""

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that are complete with the next piece."""
        if self._framer is None:
            self._early += data
            start = self._early.removeprefix(_BOM).lstrip(_BLANK)
            if not start or _BOM.startswith(start):
                return
            self._framer, data, self._early = self._chosen(start[:1])(), start, b""
        yield from self._framer.feed(data)

    def end(self) -> Iterator[Event]:
        """What is left at the end of the response."""
        if self._framer is not None:
            yield from self._framer.end()

    def _chosen(self, first: bytes) -> Callable[[], EventFramer]:
        if any(word in self._type for word in _LINES):
            return JsonLines
        if first == b"[":
            return JsonArray
        if first != b"{" and ("event-stream" in self._type or first in b"deir:"):
            return ServerSentEvents
        return JsonText


class ServerSentEvents:
    """What most providers stream: an event without a type has no name."""

    def __init__(self) -> None:
        self._stream = ServerSentStream()

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that are complete with these bytes."""
        return map(_named, self._stream.feed(data))

    def end(self) -> Iterator[Event]:
        """Return the unfinished last event, if there is one."""
        return map(_named, self._stream.end())


def _named(event: ServerEvent) -> Event:
    return Event(None if event.event == UNNAMED else event.event, event.data)
