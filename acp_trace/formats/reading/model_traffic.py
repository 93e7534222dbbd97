"""Requests and responses as another tool kept them -> the model's side of a trace. Pure.

`model.journal` decides what is written, as it does for recordings: it recognises models by the shape of
requests, and cuts out secrets. So for other hosts only heads are written. All secrets that headers and
addresses show are known before the first line is written, wherever they appear.

These files lack the time of each piece of a response: all pieces get the time at which the response began.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from acp_trace.formats.reading.log import Exchanged, Log
from acp_trace.model.journal import Journal
from acp_trace.model.records import Numbers, Record
from acp_trace.model.secrets import Secrets
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
from acp_trace.trace import encode, jsontext
from acp_trace.trace.capture_layout import MODEL_HEAD, MODEL_REQUEST

#: Why a body is not in the trace.
MISSING = "not in the file"
_CODING = "content-encoding"
_SWITCHING = 101
#: Seconds since 1970: in 2255. A later one is a mistake, and in ns it fits no column.
LATEST_S = 9_000_000_000


class SocketPiece(NamedTuple):
    """A message of a WebSocket."""

    at_ns: int
    side: Side
    data: bytes
    is_text: bool


@dataclass(slots=True)
class HttpExchange:
    """A request and its response. Times are ns since 1970; None: unknown, or it has not happened.

    A body is None if the file does not have it. `is_decoded`: bodies are out of their content coding, though
    headers name one. Sizes are of bodies on the wire.
    """

    started_ns: int
    method: str
    host: str
    target: str
    protocol: str
    headers: Headers
    request_body: bytes | None = b""
    sent_ns: int | None = None
    status: int | None = None
    is_http_1_0: bool = False
    response_headers: Headers = ()
    response_body: bytes | None = b""
    answered_ns: int | None = None
    ended_ns: int | None = None
    broken_by: Side | None = None
    is_decoded: bool = False
    sent_bytes: int | None = None
    received_bytes: int | None = None
    messages: list[SocketPiece] = field(default_factory=list)


class _Due(NamedTuple):
    at_ns: int
    number: int
    event: Event


def clock_ns(seconds: object) -> int | None:
    """A time in seconds since 1970 as ns, to a µs, which is what a float holds of it; None if it is none."""
    if not isinstance(seconds, (int, float)) or isinstance(seconds, bool):
        return None
    return round(seconds * 1_000_000) * 1000 if 0 < seconds < LATEST_S else None


def log_of(exchanges: Sequence[HttpExchange]) -> Log:
    """The exchanges as a log, in the order of their times; at least one."""
    started = min(exchange.started_ns for exchange in exchanges)
    in_order = sorted(exchanges, key=lambda exchange: exchange.started_ns)
    numbers = Numbers()
    by_number = {numbers(): exchange for exchange in in_order}
    secrets = Secrets({})
    for exchange in in_order:
        _learn(secrets, exchange)
    dues = sorted(_dues(by_number), key=lambda due: due.at_ns)  # of the same time: as they came
    log = Log(started_ns=started, lacks=("pieces",))
    log.messages = [
        Exchanged(due.number, _data(record), due.at_ns - started)
        for due, record in _written(Journal(secrets), dues, by_number)
    ]
    return log


def _learn(secrets: Secrets, exchange: HttpExchange) -> None:
    secrets.learn_headers(exchange.headers)
    secrets.learn_headers(
        tuple(pair for pair in exchange.response_headers if pair[0].startswith("set-cookie"))
    )
    secrets.host(exchange.host)
    secrets.target(exchange.target)


def _dues(exchanges: dict[int, HttpExchange]) -> Iterator[_Due]:
    """All events, those of an exchange in its order: no time of one is before that of the last."""
    for number, exchange in exchanges.items():
        now = exchange.started_ns
        for at_ns, event in _events(number, exchange):
            now = max(now, at_ns if at_ns is not None else now)
            yield _Due(now, number, event)


def _events(number: int, exchange: HttpExchange) -> Iterator[tuple[int | None, Event]]:
    request, response = exchange.headers, exchange.response_headers
    if exchange.is_decoded:
        request, response = _plain(request), _plain(response)
    head = (exchange.method, exchange.target, exchange.host, request, exchange.protocol)
    yield exchange.started_ns, RequestHead(number, *head)
    if exchange.request_body:
        yield exchange.sent_ns, Body(number, "agent", exchange.request_body)
    yield exchange.sent_ns, BodyEnd(number, "agent")
    if exchange.status is not None:
        yield exchange.answered_ns, ResponseHead(number, exchange.status, response, exchange.is_http_1_0)
    for message in exchange.messages:
        yield message.at_ns, SocketMessage(number, message.side, message.data, message.is_text)
    if exchange.response_body:
        yield exchange.answered_ns, Body(number, "provider", exchange.response_body)
    if exchange.broken_by:
        yield exchange.ended_ns, Broken(number, exchange.broken_by)
    elif exchange.status is not None:
        if exchange.status == _SWITCHING:
            yield exchange.ended_ns, BodyEnd(number, "agent")
        yield exchange.ended_ns, BodyEnd(number, "provider")


def _written(
    journal: Journal, dues: Iterable[_Due], exchanges: dict[int, HttpExchange]
) -> Iterator[tuple[_Due, Record]]:
    for due in dues:
        for record in journal.take(due.event):
            if record.stream == MODEL_HEAD:
                yield due, record._replace(data=_amended(record.data, exchanges[due.number]))
            else:
                yield due, record


def _data(record: Record) -> bytes:
    if record.stream == MODEL_HEAD:
        return record.data
    return encode.piece("sent" if record.stream == MODEL_REQUEST else "received", record.data)


def _amended(document: bytes, exchange: HttpExchange) -> bytes:
    """What the journal writes, with what it cannot know: sizes on the wire, codings, missing bodies."""
    words = jsontext.value(document)
    if exchange.is_decoded:
        for key, headers in (("request", exchange.headers), ("response", exchange.response_headers)):
            if key in words:
                _restore_codings(words[key]["headers"], headers)
    if "sent_end" in words and exchange.request_body is None:
        words["sent_end"] = {"omitted": MISSING}
    if "received_end" in words and exchange.response_body is None:
        words["received_end"] = {"omitted": MISSING}
    if "end" in words:
        for key, size in (("sent_bytes", exchange.sent_bytes), ("received_bytes", exchange.received_bytes)):
            words["end"].pop(key)
            words["end"] |= {} if size is None else {key: size}
    return jsontext.text(words)


def _plain(headers: Headers) -> Headers:
    return tuple(pair for pair in headers if pair[0] != _CODING)


def _restore_codings(written: list[Any], headers: Headers) -> None:
    for at, pair in enumerate(headers):
        if pair[0] == _CODING:
            written.insert(at, list(pair))
