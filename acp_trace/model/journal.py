"""Traffic between an agent and its providers -> what is written of it. Pure: events in, records out.

An exchange with a language model is written whole: heads, the body of the request when it has ended, each
piece of the response's body as it comes. Of any other exchange, only method, host, path, status and sizes are
written. Secrets are cut out first. docs/model.md lists what is written, docs/trace-format.md how.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from acp_trace.model.open_exchange import OpenExchange
from acp_trace.model.records import Record, document, pieces
from acp_trace.model.secrets import Secrets
from acp_trace.model.wire.events import (
    Body,
    BodyEnd,
    Broken,
    Event,
    RequestHead,
    ResponseHead,
    SocketMessage,
)
from acp_trace.trace.capture_layout import MODEL_REQUEST, MODEL_RESPONSE
from acp_trace.trace.model_bodies import Shortener

#: Why the rest of an exchange is unreadable that was open when its recorder ended.
RECORDER_ENDED = "the recorder ended"


class Journal:
    """Feed it the events of all connections. `everything`: bodies of any exchange, not only a model's."""

    def __init__(self, secrets: Secrets, *, everything: bool = False) -> None:
        self._secrets = secrets
        self._everything = everything
        self._shortener = Shortener()
        self._bodies = 0
        self._open: dict[int, OpenExchange] = {}
        self.requests = self.calls = 0  #: exchanges so far, and those that are over and asked a model

    def take(self, event: Event) -> Iterator[Record]:
        """Return what is written of an event; nothing of most that are not a model's."""
        if isinstance(event, RequestHead):
            exchange = self._open[event.exchange] = OpenExchange(event, self._secrets, whole=self._everything)
            self.requests += 1
            self._secrets.learn_headers(event.headers)
            yield document(event.exchange, request=self._request(event))
            return
        exchange_or_none = self._open.get(event.exchange)
        if exchange_or_none is None:
            return
        exchange = exchange_or_none
        if isinstance(event, ResponseHead):
            yield from self._response(exchange, event)
        elif isinstance(event, Body):
            yield from exchange.body(event)
        elif isinstance(event, SocketMessage):
            yield from self._message(exchange, event)
        elif isinstance(event, BodyEnd):
            yield from self._ended(exchange, event)
        else:
            yield from self._broken(exchange, event)

    def forget(self) -> None:
        """Forget what was written, because it may be lost: later records do not refer to it."""
        self._shortener.forget()

    def close(self, why: str) -> Iterator[Record]:
        """End all exchanges that are still open, because the recorder stops listening."""
        for number in list(self._open):
            yield from self._broken(self._open[number], Broken(number, "agent", why))

    def _request(self, head: RequestHead) -> dict[str, Any]:
        target = self._secrets.target(head.target)
        headers = self._secrets.headers(head.headers)
        return {
            "method": head.method,
            "host": self._secrets.host(head.host),
            "path": target,
            "protocol": head.protocol,
            "headers": headers,
        }

    def _response(self, exchange: OpenExchange, head: ResponseHead) -> Iterator[Record]:
        if head.status < 200 and head.status != HTTPStatus.SWITCHING_PROTOCOLS:
            return
        self._secrets.learn_headers(tuple(pair for pair in head.headers if pair[0].startswith("set-cookie")))
        exchange.answered(head.status, head.headers)
        headers = self._secrets.headers(head.headers)
        old = {"protocol": "http/1.0"} if head.is_http_1_0 else {}
        yield document(exchange.number, response={"status": head.status, "headers": headers, **old})

    def _message(self, exchange: OpenExchange, message: SocketMessage) -> Iterator[Record]:
        exchange.count(message.side, len(message.data))
        exchange.decide(message.data)
        if not exchange.whole:
            return
        data = self._secrets.cut(message.data)
        words: dict[str, Any] = {"from": message.side, "text": message.is_text, "size": len(data)}
        if message.side == "agent":
            yield from self._body(exchange, data, "message", words)
        else:
            yield from pieces(MODEL_RESPONSE, exchange.number, data)
            yield document(exchange.number, message=words)

    def _ended(self, exchange: OpenExchange, end: BodyEnd) -> Iterator[Record]:
        exchange.done.add(end.side)
        if end.side == "agent" and not exchange.is_socket:
            yield from self._sent(exchange)
        elif end.side == "provider":
            yield from exchange.received_all()
        if len(exchange.done) == 2:
            yield self._end(exchange, {})

    def _sent(self, exchange: OpenExchange) -> Iterator[Record]:
        """Return the body of a request that has ended, and what waited until its purpose was known."""
        body, problem = exchange.request_body()
        if not exchange.wants_socket:  # else its first message says what it is
            exchange.decide(body)
        if exchange.whole and not problem:
            exchange.learn(body)
            data = self._secrets.cut(body)
            yield from self._body(exchange, data, "sent_end", {"size": len(data)})
        elif exchange.whole:
            yield document(exchange.number, sent_end={"omitted": problem})
        yield from exchange.decided()

    def _body(self, exchange: OpenExchange, data: bytes, key: str, words: dict[str, Any]) -> Iterator[Record]:
        """Return what of a body is not in an earlier body, then how to put it together again."""
        self._bodies += 1
        like = self._shortener.likeness(exchange.host, self._bodies, data)
        yield from pieces(MODEL_REQUEST, exchange.number, like.written(data))
        yield document(exchange.number, **{key: {"body": self._bodies, **words, **like.words()}})

    def _broken(self, exchange: OpenExchange, broken: Broken) -> Iterator[Record]:
        if "agent" not in exchange.done and not exchange.is_socket:
            yield from self._sent(exchange)
        yield from exchange.received_all()
        outcome: dict[str, Any] = {} if exchange.is_socket and exchange.done else {"broken_by": broken.side}
        if broken.why:
            outcome = {"unreadable": self._secrets.text(broken.why)}
        yield self._end(exchange, outcome)

    def _end(self, exchange: OpenExchange, outcome: dict[str, Any]) -> Record:
        del self._open[exchange.number]
        self.calls += exchange.is_model
        sizes: dict[str, Any] = {
            "sent_bytes": exchange.sizes["agent"],
            "received_bytes": exchange.sizes["provider"],
        }
        return document(exchange.number, end={**sizes, **outcome})
