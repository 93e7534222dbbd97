"""HTTP/1.1 as it passes. `h11` reads both directions: as server for one, as client for the other.

Nothing is sent from here: h11's output is discarded, only its events are kept. Each of its two connections
learns what the other one has read, because reading a response requires its request, and a next request begins
only when the previous one is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

import h11

from acp_trace.model.mistakes import unquoted
from acp_trace.model.wire.events import (
    Body,
    BodyEnd,
    Broken,
    Event,
    Headers,
    RequestHead,
    ResponseHead,
    Side,
    UnreadableTraffic,
)
from acp_trace.model.wire.websocket import Sockets

#: Bytes of a head that is still read: tokens and cookies are long.
_LONGEST_HEAD = 1 << 20
_OLD = b"1.0"  #: HTTP/1.0 on the wire, after the slash


class Http1:
    """One connection to `host`. `number` gives each exchange its number."""

    def __init__(self, host: str, number: Callable[[], int]) -> None:
        self._host = host
        self._number = number
        self._requests = h11.Connection(h11.SERVER, _LONGEST_HEAD)
        self._responses = h11.Connection(h11.CLIENT, _LONGEST_HEAD)
        self._exchange: int | None = None  #: the current one
        self._sockets: Sockets | None = None

    def feed(self, side: Side, data: bytes) -> Iterator[Event]:
        """Yield the events of the next bytes of a side; empty data is its end. Raises UnreadableTraffic."""
        if self._sockets is not None:
            yield from self._sockets.feed(side, data)
            return
        try:
            (self._requests if side == "agent" else self._responses).receive_data(data)
            yield from self._requests_read() if side == "agent" else self._responses_read()
            while self._are_done():
                yield from self._requests_read()  # what was sent before its turn
                yield from self._responses_read()
        except h11.ProtocolError as error:
            if data:
                raise UnreadableTraffic(unquoted(str(error))) from None
        if not data and self._exchange is not None:
            yield Broken(self._exchange, side)
            self._exchange = None

    def cut(self, side: Side) -> Iterator[Event]:
        """Process a hang-up of a side inside TLS without a closing alert: a body may not be whole.

        That is a body that the end of the connection ends (RFC 9112, 8 and 9.8).
        """
        if self._sockets is None and self._exchange is not None:
            yield Broken(self._exchange, side)
            self._exchange = None

    def _requests_read(self) -> Iterator[Event]:
        for event in _events(self._requests):
            if isinstance(event, h11.Request):
                self._exchange = self._number()
                headers = _headers(event.headers)
                host = dict(headers).get("host", self._host)
                method, target = event.method.decode(), event.target.decode("latin-1")
                yield RequestHead(self._exchange, method, target, host, headers, "http/1.1")
            yield from self._rest(event, "agent")
            self._responses.send(_as_sent(event))

    def _responses_read(self) -> Iterator[Event]:
        if self._exchange is None:
            return
        for event in _events(self._responses):
            if isinstance(event, (h11.Response, h11.InformationalResponse)):
                headers = _headers(event.headers)
                is_old = event.http_version == _OLD
                yield ResponseHead(self._exchange, event.status_code, headers, is_old)
                if event.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
                    yield from self._switch(headers)
                    return
            self._requests.send(_as_sent(event))
            yield from self._rest(event, "provider")

    def _rest(self, event: object, side: Side) -> Iterator[Event]:
        assert self._exchange is not None
        if isinstance(event, h11.Data):
            yield Body(self._exchange, side, bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            yield BodyEnd(self._exchange, side)

    def _switch(self, headers: Headers) -> Iterator[Event]:
        assert self._exchange is not None
        self._sockets = Sockets(self._exchange, headers)
        self._exchange = None
        both: tuple[tuple[Side, h11.Connection], ...] = (
            ("agent", self._requests),
            ("provider", self._responses),
        )
        for side, reader in both:
            early, _ = reader.trailing_data
            if early:
                yield from self._sockets.feed(side, early)

    def _are_done(self) -> bool:
        """Whether both sides have ended an exchange; the next one may come on the same connection."""
        states = {*self._requests.states.values(), *self._responses.states.values()}
        if not states <= _OVER:
            return False
        self._exchange = None
        if states != {h11.DONE}:
            return False  # `Connection: close`: no other exchange follows
        self._requests.start_next_cycle()
        self._responses.start_next_cycle()
        return True


_OVER = {h11.DONE, h11.MUST_CLOSE, h11.CLOSED}


def _events(connection: h11.Connection) -> Iterator[Any]:
    """Return the events that can be read; not the end of the connection."""
    while (event := connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
        if isinstance(event, h11.ConnectionClosed):
            return
        yield event


def _as_sent(event: Any) -> Any:
    """Return an event as h11 itself would send it: it does not send HTTP/1.0."""
    if getattr(event, "http_version", b"1.1") == b"1.1":
        return event
    if isinstance(event, h11.Request):
        headers = [(b"host", b"-"), *(pair for pair in event.headers if pair[0] != b"host")]
        return h11.Request(method=event.method, target=event.target, headers=headers)
    return type(event)(status_code=event.status_code, headers=list(event.headers))


def _headers(headers: Any) -> Headers:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
