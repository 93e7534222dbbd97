"""Entries of a trace -> the exchanges that are recorded beside it, each with its whole bodies. Pure.

Exchanges that a gap has interrupted miss a part and are marked `damaged`; all others stay whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any, Literal

import msgspec

from acp_trace.model.seen_traffic import SeenTraffic, is_refused
from acp_trace.trace.entries import Entry, EntryKind, Gap
from acp_trace.trace.jsontext import as_integer, as_string, object_in, string_or_none, value_or_none
from acp_trace.trace.model_bodies import Bodies, Likeness, body_piece

#: Names and values; None for the value of a secret header.
WrittenHeaders = tuple[tuple[str, str | None], ...]


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """A piece of a response's body, decoded, as it was read in one go."""

    t_ns: int
    data: bytes


class WebSocketMessage(msgspec.Struct, frozen=True):
    """A message of an exchange that has become a WebSocket."""

    t_ns: int
    sender: Literal["agent", "provider"]
    data: bytes | None  #: None: it refers to data that is lost
    is_text: bool


class Served(msgspec.Struct, frozen=True):
    """Where a replay's answer came from: a recorded call, or the recorded exchange with another host.

    `call`: the number of the recorded call (`calls`), None if none matches; then `nearest` is the most
    similar call. `level`: how it matched. `again`: it had been served before. `exchange`: the recorded
    exchange with a host that is not a model; also None if the request was refused.
    """

    call: int | None = None
    level: str | None = None
    again: bool = False
    nearest: int | None = None
    exchange: int | None = None
    is_refused: bool = False


class ModelExchange(msgspec.Struct):
    """A request to a provider, or to any other host, and its response.

    Times are ns since the trace began. A body is None if it is not in the trace: `omitted` gives the reason,
    or the exchange was not with a language model.
    """

    number: int
    started_ns: int
    method: str = ""
    host: str = ""
    path: str = ""
    protocol: str = ""
    request_headers: WrittenHeaders = ()
    request_body: bytes | None = None
    sent_ns: int | None = None  #: when the request had ended
    status: int | None = None
    response_headers: WrittenHeaders = ()
    is_http_1_0: bool = False  #: the response
    answered_ns: int | None = None  #: when the head of the response came
    chunks: list[Chunk] = []
    messages: list[WebSocketMessage] = []
    is_whole: bool = False  #: its bodies are in the trace
    omitted: list[str] = []
    sent_bytes: int | None = None  #: on the wire
    received_bytes: int | None = None
    ended_ns: int | None = None
    broken_by: str | None = None  #: `agent` or `provider`, if one of them ended it early
    unreadable: str | None = None
    damaged: bool = False  #: a part of it is lost
    #: In the trace of a replay: where its answer came from; for a WebSocket, those of its calls, in order.
    all_served: list[Served] = []

    @property
    def duration_ns(self) -> int | None:
        """Return the time from its first byte to its end, ns; None if that is not in the trace."""
        return None if self.ended_ns is None else self.ended_ns - self.started_ns

    @property
    def served(self) -> Served | None:
        """Where the last answer of a replay came from; None if this is not a replay's exchange."""
        return self.all_served[-1] if self.all_served else None

    @property
    def response_body(self) -> bytes | None:
        """All pieces of the response, joined."""
        return b"".join(chunk.data for chunk in self.chunks) if self.is_whole else None

    @property
    def first_byte_ns(self) -> int | None:
        """When the first byte of the response's body came, or its head, if its body is unknown."""
        first = [chunk.t_ns for chunk in self.chunks[:1]]
        first += [message.t_ns for message in self.messages if message.sender == "provider"][:1]
        return min(first, default=self.answered_ns)


class ModelExchanges:
    """Feed it all entries of a trace; `exchanges` are those so far, by their number."""

    def __init__(self) -> None:
        self.exchanges: dict[int, ModelExchange] = {}
        self.notes: list[tuple[int, dict[str, Any]]] = []  #: notes outside any exchange, with their time
        self.has_model = False
        self.seen = SeenTraffic()
        self._bodies = Bodies()
        self._pieces: dict[tuple[int, str], list[bytes]] = {}

    def feed(self, entry: Entry) -> ModelExchange | None:
        """Process the next entry and return the exchange that it belongs to, if any."""
        if entry.kind is EntryKind.GAP and Gap.of(value_or_none(entry.data)).is_damage:
            self._damage()
        if entry.kind is not EntryKind.MODEL:
            return None
        self.has_model = True
        event = object_in(entry.data)
        number = as_integer(event.get("exchange"))
        own_t = as_integer(event.get("t"))  # if it was recorded late
        t = own_t if own_t is not None and 0 <= own_t <= entry.t else entry.t
        if number is None:
            if "gap" in event:
                self._damage()
            self.notes.append((t, event))
            if isinstance(note := event.get("connection"), dict) and is_refused(note):
                self.seen = self.seen._replace(refused=self.seen.refused + 1)
            return None
        exchange = self.exchanges.get(number)
        if exchange is None:
            self.seen = self.seen._replace(requests=self.seen.requests + 1)
            exchange = self.exchanges[number] = ModelExchange(number, t, damaged="request" not in event)
        self._take(exchange, t, event)
        return exchange

    def _take(self, exchange: ModelExchange, t: int, event: dict[str, Any]) -> None:
        for key in ("sent", "received"):
            if data := body_piece(event, key):
                exchange.is_whole = True
                self._pieces.setdefault((exchange.number, key), []).append(data)
                if key == "received" and exchange.status != HTTPStatus.SWITCHING_PROTOCOLS:
                    exchange.chunks.append(Chunk(t, data))
        if isinstance(request := event.get("request"), dict):
            exchange.method = as_string(request.get("method"))
            exchange.host = as_string(request.get("host"))
            exchange.path = as_string(request.get("path"))
            exchange.protocol = as_string(request.get("protocol"))
            exchange.request_headers = _headers(request.get("headers"))
        if isinstance(sent := event.get("sent_end"), dict):
            exchange.sent_ns = t
            exchange.request_body = self._body(exchange, sent)
        if isinstance(response := event.get("response"), dict):
            exchange.answered_ns = t
            exchange.status = as_integer(response.get("status"))
            exchange.response_headers = _headers(response.get("headers"))
            exchange.is_http_1_0 = response.get("protocol") == "http/1.0"
        if isinstance(received := event.get("received_end"), dict):
            _note_omitted(exchange, received)
        if isinstance(message := event.get("message"), dict):
            self._message(exchange, t, message)
        if isinstance(served := event.get("served"), dict):
            exchange.all_served = [*exchange.all_served, _served(served)]
        if isinstance(end := event.get("end"), dict):
            self._end(exchange, t, end)

    def _body(self, exchange: ModelExchange, words: dict[str, Any]) -> bytes | None:
        """Return a body that the agent sent, put together."""
        exchange.is_whole = True
        middle = b"".join(self._pieces.pop((exchange.number, "sent"), ()))
        number = as_integer(words.get("body"))
        if _note_omitted(exchange, words) or number is None:
            return None
        body = self._bodies.restore(exchange.host, number, Likeness.of(words), middle)
        if body is None or len(body) != words.get("size", len(body)):
            exchange.damaged = True
            return None
        return body

    def _message(self, exchange: ModelExchange, t: int, words: dict[str, Any]) -> None:
        is_text = words.get("text") is True
        if words.get("from") == "agent":
            body = self._body(exchange, words)
            exchange.messages.append(WebSocketMessage(t, "agent", body, is_text))
            return
        exchange.is_whole = True
        data = b"".join(self._pieces.pop((exchange.number, "received"), ()))
        exchange.messages.append(WebSocketMessage(t, "provider", data, is_text))

    def _end(self, exchange: ModelExchange, t: int, end: dict[str, Any]) -> None:
        exchange.ended_ns = t
        exchange.sent_bytes = as_integer(end.get("sent_bytes"))
        exchange.received_bytes = as_integer(end.get("received_bytes"))
        exchange.broken_by = as_string(end.get("broken_by")) or None
        exchange.unreadable = as_string(end.get("unreadable")) or None
        for key in ("sent", "received"):
            self._pieces.pop((exchange.number, key), None)

    def _damage(self) -> None:
        """Mark open exchanges as damaged: a part may be lost, and so may texts that later bodies refer to."""
        for exchange in self.exchanges.values():
            if exchange.ended_ns is None:
                exchange.damaged = True


def exchanges_in(entries: Iterable[Entry]) -> list[ModelExchange]:
    """Return all exchanges of a trace, in the order in which they began."""
    reader = ModelExchanges()
    for entry in entries:
        reader.feed(entry)
    return list(reader.exchanges.values())


def _note_omitted(exchange: ModelExchange, words: dict[str, Any]) -> bool:
    if why := as_string(words.get("omitted")):
        exchange.omitted = [*exchange.omitted, why]
    return bool(why)


def _headers(value: object) -> WrittenHeaders:
    pairs = value if isinstance(value, list) else []
    return tuple(
        (as_string(pair[0]), string_or_none(pair[1]))
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2
    )


def _served(words: dict[str, Any]) -> Served:
    return Served(
        call=as_integer(words.get("call")),
        level=string_or_none(words.get("level")),
        again=words.get("again") is True,
        nearest=as_integer(words.get("nearest")),
        exchange=as_integer(words.get("exchange")),
        is_refused=words.get("refused") is True,
    )
