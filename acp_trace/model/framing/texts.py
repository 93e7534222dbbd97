"""JSON without a protocol around it: one text, one text per line, the items of one array."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acp_trace.model.framing.events import Event
from acp_trace.trace import jsontext

_STRUCTURE = re.compile(rb'["\\\[\]{},]')


class JsonText:
    """The whole response is one event. If it is not JSON, each line may be (a stream without a type)."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """Nothing: only the end completes a JSON text."""
        self._pieces.append(data)
        return iter(())

    def end(self) -> Iterator[Event]:
        """The response."""
        whole = b"".join(self._pieces).strip()
        lines = whole.splitlines()
        if len(lines) > 1 and jsontext.is_json(lines[0]):
            yield from (Event(None, line) for line in lines if line.strip())
        elif whole:
            yield Event(None, whole)


class JsonLines:
    """One event per line. Reading a long line takes linear time."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, data: bytes) -> Iterator[Event]:
        """The lines that are complete with these bytes."""
        *complete, rest = data.split(b"\n")
        for line in complete:
            self._begun.append(line)
            yield from self.end()
        if rest:
            self._begun.append(rest)

    def end(self) -> Iterator[Event]:
        """The last line, if nothing ended it."""
        line, self._begun = b"".join(self._begun).strip(b" \t\r\x1e"), []
        if line:
            yield Event(None, line)


class JsonArray:
    """Each item of one array is an event (Gemini without `alt=sse`)."""

    def __init__(self) -> None:
        self._item: list[bytes] = []  #: of the item that has begun, from its first byte on
        self._depth = 0
        self._in_string = False
        self._escaped = False  #: the next byte is the second of an escape

    def feed(self, data: bytes) -> Iterator[Event]:
        """The items that are complete with these bytes."""
        begin = at = 0
        if self._escaped and data:
            self._escaped, at = False, 1
        while match := _STRUCTURE.search(data, at):
            sign, at = match[0], match.end()
            if sign == b"\\":
                self._escaped = at == len(data)
                at += 1
            elif sign == b'"':
                self._in_string = not self._in_string
            elif not self._in_string:
                inside = self._depth
                self._depth += 1 if sign in b"[{" else -1 if sign in b"]}" else 0
                if inside == 0:
                    begin = at  # the bracket that opens the array
                elif (inside == 1 and sign == b",") or self._depth == 0:
                    yield from self._complete(data[begin : match.start()])
                    begin = at
                elif inside == 2 and self._depth == 1:
                    yield from self._complete(data[begin:at])
                    begin = at
        self._item.append(data[begin:])

    def end(self) -> Iterator[Event]:
        """Return an item that was not ended: it cannot be read and is reported as unreadable."""
        yield from self._complete(b"")

    def _complete(self, rest: bytes) -> Iterator[Event]:
        item, self._item = b"".join([*self._item, rest]).strip(b" \t\r\n,"), []
        if item:
            yield Event(None, item)
