"""The model's side of a trace as an HTTP archive (HAR 1.2), which browsers and HTTP proxies open.

An entry is an exchange, with what the recorder kept of it; entries are in the order in which they began. The
recorder never wrote secrets, and wrote bodies only of exchanges with a model. Custom members (`_…`) name
session and turn of its calls. Messages of a WebSocket are where Chrome puts them.
"""

from __future__ import annotations

import base64
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from acp_trace import __version__
from acp_trace.analyze.facts import ModelCall
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.model.exchange import ModelExchange, ModelExchanges, WrittenHeaders
from acp_trace.trace.entries import Entry

_HTTP = {"http/1.1": "HTTP/1.1", "http/1.0": "HTTP/1.0", "h2": "HTTP/2.0"}
_NS_PER_MS = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write(trace: ExportedTrace) -> Iterator[bytes]:
    """The archive, entry by entry."""
    started = _moment(trace.facts.trace.started_at)
    if started is None:
        trace.notes.append("the trace has no start time, so times count from 1970")
    creator = {"name": "acp-trace", "version": __version__}
    about = {"trace": trace.facts.trace.id}
    head = msgspec.json.encode({"version": "1.2", "creator": creator, "pages": [], "_acp_trace": about})
    yield b'{"log":%b,"entries":[' % head[:-1]
    calls = defaultdict(list)
    for call in trace.facts.model_calls:
        calls[call.exchange].append(call)
    number = 0
    for number, exchange in enumerate(_exchanges(trace.entries()), 1):
        entry = _entry(exchange, started or _EPOCH, calls[exchange.number])
        yield (b",\n" if number > 1 else b"\n") + msgspec.json.encode(entry)
    if not number:
        trace.notes.append("the trace has no model traffic: `acp-trace record --model` records it")
    yield b"\n]}}\n"


def _exchanges(entries: Iterable[Entry]) -> Iterator[ModelExchange]:
    """All exchanges in the order in which they began, as soon as they and those before are over."""
    reader, waiting, last = ModelExchanges(), deque[ModelExchange](), 0
    for entry in entries:
        exchange = reader.feed(entry)
        if exchange is None:
            continue
        if exchange.number > last:
            waiting.append(exchange)
            last = exchange.number
        while waiting and waiting[0].ended_ns is not None:
            over = waiting.popleft()
            del reader.exchanges[over.number]
            yield over
    yield from waiting


def _moment(started_at: str | None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(started_at or "")
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:
        return None


def _entry(exchange: ModelExchange, started: datetime, calls: list[ModelCall]) -> dict[str, Any]:
    timings = _timings(exchange)
    about = {
        "_exchange": exchange.number,
        "_calls": [{"call": each.call, "session": each.session_id, "turn": each.turn} for each in calls],
        "_error": _trouble(exchange),
        "_resourceType": "websocket" if exchange.messages else None,
        "_webSocketMessages": _messages(exchange, started) or None,
    }
    return {
        "startedDateTime": _iso(started, exchange.started_ns),
        "time": round(sum(timings.values()), 6),
        "request": _request(exchange),
        "response": _response(exchange),
        "cache": {},
        "timings": timings,
        **{name: value for name, value in about.items() if value is not None},
    }


def _iso(started: datetime, t_ns: int) -> str:
    try:
        moment = started + timedelta(microseconds=t_ns / 1000)
    except OverflowError:
        moment = started
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _timings(exchange: ModelExchange) -> dict[str, float]:
    """In ms. An event that did not happen gets 0: an archive has no other way to express it."""
    begin = exchange.started_ns
    sent = exchange.sent_ns if exchange.sent_ns is not None else begin
    ended = exchange.ended_ns if exchange.ended_ns is not None else sent
    first = exchange.first_byte_ns if exchange.first_byte_ns is not None else ended
    first = max(first, sent)
    spans = {"send": sent - begin, "wait": first - sent, "receive": ended - first}
    return {name: max(ns, 0) / _NS_PER_MS for name, ns in spans.items()}


def _trouble(exchange: ModelExchange) -> str | None:
    if exchange.broken_by:
        return f"broken off by the {exchange.broken_by}"
    if exchange.ended_ns is None:
        return "still open when the trace ended"
    return exchange.unreadable or ("a part of it is lost" if exchange.damaged else None)


def _request(exchange: ModelExchange) -> dict[str, Any]:
    url = f"https://{exchange.host}{exchange.path}"
    body = exchange.request_body
    made: dict[str, Any] = {
        "method": exchange.method,
        "url": url,
        "httpVersion": _HTTP.get(exchange.protocol, exchange.protocol),
        "cookies": [],
        "headers": _headers(exchange.request_headers),
        "queryString": [{"name": name, "value": value} for name, value in _query(url)],
        "headersSize": -1,
        "bodySize": -1 if body is None else len(body),
    }
    if body:
        text = body.decode("utf-8", "backslashreplace")
        made["postData"] = {"mimeType": _type(exchange.request_headers), "text": text}
    return made


def _query(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, keep_blank_values=True)
    except ValueError:  # no address at all
        return []


def _response(exchange: ModelExchange) -> dict[str, Any]:
    body = exchange.response_body
    content: dict[str, Any] = {"size": len(body or b""), "mimeType": _type(exchange.response_headers)}
    if body is not None:
        try:
            content["text"] = body.decode()
        except UnicodeDecodeError:
            content |= {"text": base64.b64encode(body).decode(), "encoding": "base64"}
    return {
        "status": exchange.status or 0,
        "statusText": "",
        "httpVersion": "HTTP/1.0"
        if exchange.is_http_1_0
        else _HTTP.get(exchange.protocol, exchange.protocol),
        "cookies": [],
        "headers": _headers(exchange.response_headers),
        "content": content,
        "redirectURL": _header(exchange.response_headers, "location"),
        "headersSize": -1,
        "bodySize": -1,
    }


def _messages(exchange: ModelExchange, started: datetime) -> list[dict[str, Any]]:
    return [
        {
            "type": "send" if message.sender == "agent" else "receive",
            "time": started.timestamp() + message.t_ns / 1e9,
            "opcode": 1 if message.is_text else 2,
            "data": _data(message.data or b"", is_text=message.is_text),
        }
        for message in exchange.messages
    ]


def _data(data: bytes, *, is_text: bool) -> str:
    return data.decode("utf-8", "backslashreplace") if is_text else base64.b64encode(data).decode()


def _headers(headers: WrittenHeaders) -> list[dict[str, str]]:
    """Those that were written. Of a secret one, the name."""
    return [
        {"name": name, "value": ""} | {"comment": "secret: not recorded"}
        if value is None
        else {"name": name, "value": value}
        for name, value in headers
    ]


def _type(headers: WrittenHeaders) -> str:
    return _header(headers, "content-type")


def _header(headers: WrittenHeaders, wanted: str) -> str:
    return next((value or "" for name, value in headers if name.lower() == wanted), "")
