"""Flows that mitmproxy saved (`-w FILE`): requests to language models.

A flow is a dictionary, written as a typed netstring; each has the version of its form. Learned from
mitmproxy 11.0 (`io/tnetstring.py`, `io/compat.py`, `http.py`, `websocket.py`), which writes version 21; what
is read here is the same since version 4, and has other names before. Bodies are as they were on the wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_trace.formats.reading import model_traffic
from acp_trace.formats.reading.har import NotUsable, protocol
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Unused
from acp_trace.formats.reading.model_traffic import HttpExchange, SocketPiece, clock_ns
from acp_trace.formats.reading.tnetstring import NotTnetstring, value_at
from acp_trace.model.wire.events import Headers, Side
from acp_trace.trace.jsontext import as_integer

NAME = "mitmproxy"
_PORTS = {"http": 80, "https": 443}
_TEXT = 1  #: the opcode of a text message


def recognises(files: Sequence[File]) -> bool:
    """Whether one of the files begins with a flow."""
    return any(_begins(file.data) for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each file that has a request in it."""
    logs: list[Log] = []
    unused: list[Unused] = []
    for file in files:
        exchanges, bad, version = _exchanges(file.data)
        if not exchanges:
            unused += [Unused(f"{file.name}: {each.where}", each.why) for each in bad]
            continue
        log = model_traffic.log_of(exchanges)
        log.verbatim = True
        log.unused = bad
        log.labels = {"flow_version": version} if version else {}
        logs.append(log)
    if not logs:
        raise NotThisFormat("no flows of mitmproxy with a request over HTTP")
    logs[0].unused = [*unused, *logs[0].unused]
    return logs


def _begins(data: bytes) -> bool:
    if not data[:1].isdigit():
        return False
    try:
        flow, _ = value_at(data, 0)
    except NotTnetstring:
        return False
    return _is_flow(flow)


def _is_flow(value: Any) -> bool:
    return isinstance(value, dict) and "version" in value and ("type" in value or "request" in value)


def _exchanges(data: bytes) -> tuple[list[HttpExchange], list[Unused], str]:
    exchanges: list[HttpExchange] = []
    unused: list[Unused] = []
    at, n, version = 0, 0, ""
    while at < len(data):
        n += 1
        try:
            flow, at = value_at(data, at)
        except NotTnetstring as error:
            unused.append(Unused(f"flow {n}", str(error)))
            break
        try:
            exchanges.append(_exchange(flow))
            version = version or _version(flow["version"])
        except NotUsable as error:
            unused.append(Unused(f"flow {n}", str(error)))
    return exchanges, unused, version


def _exchange(flow: Any) -> HttpExchange:
    if not _is_flow(flow):
        raise NotUsable("is not a flow")
    request, response = flow.get("request"), flow.get("response")
    if not isinstance(request, dict):
        raise NotUsable(f"is {_text(flow.get('type'))[:20] or 'something'} not a request over HTTP")
    headers = _headers(request.get("headers"))
    method, host = _text(request.get("method")), _host(request, headers)
    started = clock_ns(request.get("timestamp_start"))
    if not method or not host or started is None:
        raise NotUsable("has no time" if method and host else "has no request to a host")
    exchange = HttpExchange(
        started,
        method,
        host,
        _text(request.get("path")) or "/",
        protocol(_text(request.get("http_version"))),
        headers,
    )
    exchange.request_body = _bytes(request.get("content"))
    exchange.sent_ns = clock_ns(request.get("timestamp_end"))
    exchange.sent_bytes = _length(exchange.request_body)
    if isinstance(response, dict) and (status := as_integer(response.get("status_code"))):
        exchange.status = status
        version = _text(response.get("http_version"))
        exchange.is_http_1_0 = protocol(version) == "http/1.0"
        exchange.response_headers = _headers(response.get("headers"))
        exchange.response_body = _bytes(response.get("content"))
        exchange.received_bytes = _length(exchange.response_body)
        exchange.answered_ns = clock_ns(response.get("timestamp_start"))
        exchange.ended_ns = clock_ns(response.get("timestamp_end"))
    _add_messages(exchange, flow.get("websocket"))
    if isinstance(error := flow.get("error"), dict):
        exchange.broken_by = "agent" if "client" in _text(error.get("msg")).lower() else "provider"
        exchange.ended_ns = clock_ns(error.get("timestamp")) or exchange.ended_ns
    return exchange


def _host(request: dict[str, Any], headers: Headers) -> str:
    """As the request names it: a proxy may know the address alone."""
    named = next((value for name, value in headers if name == "host"), "") or _text(request.get("authority"))
    host, port = _text(request.get("host")), as_integer(request.get("port"))
    is_usual = port is None or port == _PORTS.get(_text(request.get("scheme")))
    return named or (host if is_usual or not host else f"{host}:{port}")


def _add_messages(exchange: HttpExchange, websocket: Any) -> None:
    """The messages of a WebSocket: opcode, whether the client sent it, the content, the time."""
    if not isinstance(websocket, dict):
        return
    messages = websocket.get("messages")
    for each in messages if isinstance(messages, list) else []:
        if not isinstance(each, list) or len(each) < 4:
            continue
        at_ns, data = clock_ns(each[3]), _bytes(each[2])
        if at_ns is not None and data is not None:
            side: Side = "agent" if each[1] else "provider"
            exchange.messages.append(SocketPiece(at_ns, side, data, each[0] == _TEXT))
    exchange.ended_ns = clock_ns(websocket.get("timestamp_end")) or exchange.ended_ns


def _headers(value: Any) -> Headers:
    pairs = (
        (pair for pair in value if isinstance(pair, list) and len(pair) == 2)
        if isinstance(value, list)
        else ()
    )
    named = ((_text(name).lower(), _text(text)) for name, text in pairs)
    return tuple(pair for pair in named if pair[0] and not pair[0].startswith(":"))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else ""


def _bytes(value: Any) -> bytes | None:
    return value.encode() if isinstance(value, str) else value if isinstance(value, bytes) else None


def _length(body: bytes | None) -> int | None:
    return None if body is None else len(body)


def _version(value: Any) -> str:
    parts = value if isinstance(value, list) else [value]
    return ".".join(str(part) for part in parts if isinstance(part, int))
