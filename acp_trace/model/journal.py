"""What goes past between an agent and its providers -> what is written of it. Pure: events in, records out.

An exchange with a language model is written whole: heads, the body of the request when it has ended, each
piece of the response's as it comes. Of any other, method, host, path, status and sizes are. Nothing leaves
here before its secrets are cut out. docs/model.md says what is written, docs/trace-format.md how.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, NamedTuple

from acp_trace.model import providers
from acp_trace.model.codings import Decoder, Undecodable
from acp_trace.model.secrets import Cutting, Secrets
from acp_trace.model.wire.events import (
    Body,
    BodyEnd,
    Broken,
    Event,
    Headers,
    RequestHead,
    ResponseHead,
    Side,
    SocketMessage,
)
from acp_trace.trace.capture_layout import FIRST, MODEL_HEAD, MODEL_REQUEST, MODEL_RESPONSE
from acp_trace.trace.jsontext import text
from acp_trace.trace.model_bodies import Shortener

#: Why an exchange can be read no further that was open when its recorder ended.
RECORDER_ENDED = "the recorder ended"
#: Bytes of a body that is written; of a longer one, only how long it was.
LONGEST = 256 << 20
#: So much of a response is kept while it is not known whether its request asked a model.
_UNDECIDED = 1 << 20
#: A body is written in pieces of this size, so that a reader needs to hold no more.
_PIECE = 1 << 20


class Record(NamedTuple):
    """One block of a capture: see `capture_layout`."""

    stream: int
    exchange: int
    data: bytes


class Numbers:
    """Numbers of exchanges, from 1: those with a byte FF are left out, as a capture demands."""

    def __init__(self) -> None:
        self._last = 0

    def __call__(self) -> int:
        """The next one."""
        self._last += 1
        while FIRST in self._last.to_bytes(4, "little"):
            self._last += 1
        return self._last


class Journal:
    """Feed it the events of all connections. `everything`: bodies of any exchange, not only a model's."""

    def __init__(self, secrets: Secrets, *, everything: bool = False) -> None:
        self._secrets = secrets
        self._everything = everything
        self._shortener = Shortener()
        self._bodies = 0
        self._open: dict[int, _Exchange] = {}

    def take(self, event: Event) -> Iterator[Record]:
        """What is written of an event; nothing of most that are not a model's."""
        if isinstance(event, RequestHead):
            exchange = self._open[event.exchange] = _Exchange(event, self._secrets, whole=self._everything)
            self._secrets.learn_headers(event.headers)
            yield _document(event.exchange, request=self._request(event))
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
        """What was written may be lost: nothing that is written from now on refers to it."""
        self._shortener.forget()

    def close(self, why: str) -> Iterator[Record]:
        """Ends all exchanges that are still open, because nobody listens any more."""
        for number in list(self._open):
            yield from self._broken(self._open[number], Broken(number, "agent", why))

    def _request(self, head: RequestHead) -> dict[str, Any]:
        target = self._secrets.target(head.target)
        headers = self._secrets.headers(head.headers)
        return {
            "method": head.method,
            "host": self._secrets.text(head.host),
            "path": target,
            "protocol": head.protocol,
            "headers": headers,
        }

    def _response(self, exchange: _Exchange, head: ResponseHead) -> Iterator[Record]:
        if head.status < 200 and head.status != HTTPStatus.SWITCHING_PROTOCOLS:
            return
        self._secrets.learn_headers(tuple(pair for pair in head.headers if pair[0] == "set-cookie"))
        exchange.answered(head.status, head.headers)
        headers = self._secrets.headers(head.headers)
        old = {"protocol": "http/1.0"} if head.is_http_1_0 else {}
        yield _document(exchange.number, response={"status": head.status, "headers": headers, **old})

    def _message(self, exchange: _Exchange, message: SocketMessage) -> Iterator[Record]:
        exchange.count(message.side, len(message.data))
        exchange.decide(message.data)
        if not exchange.whole:
            return
        data = self._secrets.cut(message.data)
        words: dict[str, Any] = {"from": message.side, "text": message.is_text, "size": len(data)}
        if message.side == "agent":
            yield from self._body(exchange, data, "message", words)
        else:
            yield from _pieces(MODEL_RESPONSE, exchange.number, data)
            yield _document(exchange.number, message=words)

    def _ended(self, exchange: _Exchange, end: BodyEnd) -> Iterator[Record]:
        exchange.done.add(end.side)
        if end.side == "agent" and not exchange.is_socket:
            yield from self._sent(exchange)
        elif end.side == "provider":
            yield from exchange.received_all()
        if len(exchange.done) == 2:
            yield self._end(exchange, {})

    def _sent(self, exchange: _Exchange) -> Iterator[Record]:
        """The body of a request that has ended, and what waited until it is known what it asks for."""
        body, problem = exchange.request_body()
        if not exchange.wants_socket:  # else its first message says what it is
            exchange.decide(body)
        if exchange.whole and not problem:
            data = self._secrets.cut(body)
            yield from self._body(exchange, data, "sent_end", {"size": len(data)})
        elif exchange.whole:
            yield _document(exchange.number, sent_end={"omitted": problem})
        yield from exchange.decided()

    def _body(self, exchange: _Exchange, data: bytes, key: str, words: dict[str, Any]) -> Iterator[Record]:
        """What of a body is not in an earlier one, then how it is put together again."""
        self._bodies += 1
        like = self._shortener.likeness(exchange.host, self._bodies, data)
        yield from _pieces(MODEL_REQUEST, exchange.number, data[like.prefix : len(data) - like.suffix])
        reference = like._asdict() if like.like else {}
        yield _document(exchange.number, **{key: {"body": self._bodies, **words, **reference}})

    def _broken(self, exchange: _Exchange, broken: Broken) -> Iterator[Record]:
        if "agent" not in exchange.done and not exchange.is_socket:
            yield from self._sent(exchange)
        yield from exchange.received_all()
        outcome: dict[str, Any] = {} if exchange.is_socket and exchange.done else {"broken_by": broken.side}
        if broken.why:
            outcome = {"unreadable": self._secrets.text(broken.why)}
        yield self._end(exchange, outcome)

    def _end(self, exchange: _Exchange, outcome: dict[str, Any]) -> Record:
        del self._open[exchange.number]
        sizes: dict[str, Any] = {
            "sent_bytes": exchange.sizes["agent"],
            "received_bytes": exchange.sizes["provider"],
        }
        return _document(exchange.number, end={**sizes, **outcome})


class _Exchange:
    """One exchange while it goes on."""

    def __init__(self, head: RequestHead, secrets: Secrets, *, whole: bool) -> None:
        self.number, self.host = head.exchange, head.host
        self.sizes: dict[Side, int] = {"agent": 0, "provider": 0}
        self.done: set[Side] = set()
        self.is_socket = False
        self.wants_socket = any(
            name == "upgrade" and value.lower() == "websocket" for name, value in head.headers
        )
        self.whole: bool | None = True if whole or providers.by_path(head.method, head.target) else None
        if self.whole is None and not self.wants_socket and not _may_ask(head):
            self.whole = False
        self._sent: list[bytes] = []
        self._sent_problem = ""
        self._sent_decoder = _decoder(head.headers)
        self._secrets = secrets
        self._received_decoder: Decoder | None = None
        self._received_problem = ""
        self._cutting: Cutting | None = None
        self._waiting: list[Record] = []
        self._waiting_size = self._received = 0

    def count(self, side: Side, size: int) -> None:
        """So many bytes more of a body, as they were on the wire."""
        self.sizes[side] += size

    def answered(self, status: int, headers: Headers) -> None:
        """The head of the response has come."""
        self._received_decoder = _decoder(headers)
        self._cutting = Cutting(self._secrets)
        self.is_socket = self.wants_socket and status == HTTPStatus.SWITCHING_PROTOCOLS
        if self.is_socket:
            self.done.clear()  # the request has ended, and the conversation has only begun
        if not self.is_socket and self.wants_socket:
            self.decide(b"")

    def decide(self, body: bytes) -> None:
        """Now it is known what was asked: whether it is written whole."""
        if self.whole is None:
            self.whole = providers.by_body(body) is not None

    def decided(self) -> Iterator[Record]:
        """What of the response waited for that."""
        if self.whole is not None:
            if self.whole:
                yield from self._waiting
            self._waiting = []

    def body(self, body: Body) -> Iterator[Record]:
        """A piece of either body: that of a request is kept until it ends."""
        self.count(body.side, len(body.data))
        if self.whole is False:
            return
        if body.side == "agent":
            self._keep(body.data)
        else:
            yield from self._receive(body.data)

    def request_body(self) -> tuple[bytes, str]:
        """The body of the request, decoded, or why there is none."""
        body = b"".join(self._sent)
        self._sent = []
        if not self._sent_problem:
            try:
                return self._sent_decoder.feed(body), ""
            except Undecodable as error:
                self._sent_problem = str(error)
        return b"", self._sent_problem

    def received_all(self) -> Iterator[Record]:
        """The response is over: what was held back of it."""
        if self.whole is False or self._cutting is None:
            return
        yield from self._write(self._cutting.finish())
        words = {"omitted": self._received_problem} if self._received_problem else {"size": self._received}
        yield from self._later(_document(self.number, received_end=words))

    def _keep(self, data: bytes) -> None:
        if self.sizes["agent"] > LONGEST:
            self._sent, self._sent_problem = [], f"longer than {LONGEST >> 20} MB"
        elif not self._sent_problem:
            self._sent.append(data)

    def _receive(self, data: bytes) -> Iterator[Record]:
        if self._received_problem or self._received_decoder is None or self._cutting is None:
            return
        try:
            decoded = self._received_decoder.feed(data)
        except Undecodable as error:
            self._received_problem = str(error)
            return
        yield from self._write(self._cutting.feed(decoded))

    def _write(self, data: bytes) -> Iterator[Record]:
        self._received += len(data)
        for record in _pieces(MODEL_RESPONSE, self.number, data):
            yield from self._later(record)

    def _later(self, record: Record) -> Iterator[Record]:
        """A record of the response, at once if it is known that it is written."""
        if self.whole:
            yield record
        elif self.whole is None:
            self._waiting.append(record)
            self._waiting_size += len(record.data)
            if self._waiting_size > _UNDECIDED:
                self.whole, self._waiting = False, []


def _may_ask(head: RequestHead) -> bool:
    """Whether the body of a request is worth keeping until its end, to see what it asks for."""
    kind = dict(head.headers).get("content-type", "json")
    return head.method == "POST" and "json" in kind


def _decoder(headers: Headers) -> Decoder:
    return Decoder(",".join(value for name, value in headers if name == "content-encoding"))


def _document(exchange: int, **words: Any) -> Record:
    return Record(MODEL_HEAD, exchange, text(words))


def _pieces(stream: int, exchange: int, data: bytes) -> Iterator[Record]:
    for at in range(0, len(data), _PIECE):
        yield Record(stream, exchange, data[at : at + _PIECE])
