"""One connection in any protocol: its first bytes decide which reader reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from acp_trace.model.mistakes import described
from acp_trace.model.wire.events import Body, BodyEnd, Broken, Event, RequestHead, Side, UnreadableTraffic
from acp_trace.model.wire.http1 import Http1
from acp_trace.model.wire.http2 import PREFACE, Http2

#: Pieces of bodies in one read that stay separate. Usually there are a few.
_PIECES = 16
#: A provider sends only its settings before it is asked.
_LONGEST_BEFORE = 1 << 16


class Tap:
    """Reads a connection to `host`; `number` gives each exchange its number. Never raises.

    Once one side cannot be read, nothing of the connection is: neither side means anything without the other.
    Then `unreadable` has the reason.
    """

    def __init__(self, host: str, number: Callable[[], int]) -> None:
        self._host = host
        self._number = number
        self._reader: Http1 | Http2 | None = None
        self._early = self._before = b""  #: what each side sent before the protocol was known
        self._open: dict[int, set[Side]] = {}  #: exchanges that have not ended, and the sides that are done
        self.unreadable: str | None = None

    def feed(self, side: Side, data: bytes) -> Iterator[Event]:
        """Yield the events of the next bytes of a side; empty data is its end."""
        if self.unreadable is not None:
            return
        if self._reader is None:
            if side == "provider":  # its settings, in HTTP/2; what they are is known with the agent's bytes
                self._before += data
                if len(self._before) > _LONGEST_BEFORE:
                    self.unreadable = "the provider spoke first"
                return
            self._early += data
            if data and len(self._early) < len(PREFACE) and PREFACE.startswith(self._early):
                return
            kind = Http2 if self._early.startswith(PREFACE) else Http1
            self._reader, data = kind(self._host, self._number), self._early
            if not data:
                return
            before, self._before = self._before, b""
            yield from self._read(side, data)
            if before:
                yield from self._read("provider", before)
            return
        yield from self._read(side, data)

    def cut(self, side: Side) -> Iterator[Event]:
        """Yield the events of a side's hang-up inside TLS without a closing alert."""
        if isinstance(self._reader, Http1) and self.unreadable is None:
            for event in self._reader.cut(side):
                self._note(event)
                yield event
        yield from self.feed(side, b"")

    def _read(self, side: Side, data: bytes) -> Iterator[Event]:
        if self._reader is None or self.unreadable is not None:
            return
        try:
            for event in _joined(self._reader.feed(side, data)):
                self._note(event)
                yield event
        except UnreadableTraffic as error:
            self.unreadable = str(error)
        except Exception as error:  # an error in a parser costs what it reads, never the traffic
            self.unreadable = described(error)
        if self.unreadable is not None:
            yield from [Broken(exchange, side, self.unreadable) for exchange in self._open]
            self._open.clear()

    def _note(self, event: Event) -> None:
        if isinstance(event, RequestHead):
            self._open[event.exchange] = set()
        elif isinstance(event, Broken):
            self._open.pop(event.exchange, None)
        elif isinstance(event, BodyEnd):
            done = self._open.get(event.exchange, set())
            done.add(event.side)
            if len(done) == 2:
                self._open.pop(event.exchange, None)


def _joined(events: Iterator[Event]) -> Iterator[Event]:
    """Yield the same events. Of many pieces of a body that came at once, all but the first become one.

    Each piece becomes a record, which is longer than a short piece, and a provider may send single bytes.
    """
    left = _PIECES
    begun: Body | None = None
    parts: list[bytes] = []
    try:
        for event in events:
            if isinstance(event, Body) and begun is not None and _is_same(begun, event):
                parts.append(event.data)
                continue
            if isinstance(event, Body) and left:
                left -= 1
                yield event
                continue
            if begun is not None:
                yield replace(begun, data=b"".join(parts))
            begun, parts = (event, [event.data]) if isinstance(event, Body) else (None, [])
            if begun is None:
                yield event
    except Exception:
        if begun is not None:  # what came before the error is known
            yield replace(begun, data=b"".join(parts))
        raise
    if begun is not None:
        yield replace(begun, data=b"".join(parts))


def _is_same(one: Body, other: Body) -> bool:
    return (one.exchange, one.side) == (other.exchange, other.side)
