"""HTTP archives (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/): traffic with models, and ACP.

Browsers, mitmproxy and many other tools write them. Bodies are without their content coding, and a whole
response has one time. Messages of WebSockets are in `_webSocketMessages`, as Chrome writes them: if at least
half of them are JSON-RPC, the page is a client of ACP, and each connection in the socket is a log.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from acp_trace.formats.reading import connections, model_traffic
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.formats.reading.model_traffic import LATEST_S, HttpExchange, SocketPiece, clock_ns
from acp_trace.model.wire.events import Headers, Side
from acp_trace.protocol import message
from acp_trace.protocol.message import MessageKind
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender
from acp_trace.trace.jsontext import as_integer, as_string

NAME = "har"
_SPOKEN = (MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.RESPONSE)
_BOM = b"\xef\xbb\xbf"
_NS_PER_MS = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: No request takes longer: a year, in ms.
_LONGEST_MS = 366 * 86_400_000
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_SIDES: dict[str, Side] = {"send": "agent", "receive": "provider"}
#: The parts of the time until a request is sent, as the archive names them; `ssl` is within `connect`.
_BEFORE_SENT = ("blocked", "dns", "connect", "send")


class NotUsable(Exception):
    """An entry that is none. The message says why."""


def recognises(files: Sequence[File]) -> bool:
    """Whether one of the files is an archive."""
    return any(_entries(file.data) is not None for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each archive."""
    logs: list[Log] = []
    unused: list[Unused] = []
    for file in files:
        archive = _entries(file.data)
        if archive is None:
            unused.append(Unused(file.name, "no HTTP archive"))
            continue
        sockets = [(entry, _connection(entry)) for entry in archive["entries"]]
        logs += [part for _, log in sockets if log is not None for part in connections.split(log)]
        exchanges, bad = _exchanges([entry for entry, log in sockets if log is None])
        if not exchanges:
            unused += [Unused(f"{file.name}: {each.where}", each.why) for each in bad]
            continue
        log = model_traffic.log_of(exchanges)
        log.unused = bad
        creator = jsontext.as_object(archive.get("creator"))
        labels = {
            "creator": as_string(creator.get("name")),
            "tool_version": as_string(creator.get("version")),
        }
        log.labels = {name: text for name, text in labels.items() if text}
        logs.append(log)
    if not logs:
        raise NotThisFormat("no HTTP archive with entries: an object with `log`, and `entries` in that")
    logs[0].unused = [*unused, *logs[0].unused]
    return logs


def _entries(data: bytes) -> dict[str, Any] | None:
    """The value under `log`; None if this is not an archive."""
    data = data.removeprefix(_BOM)
    if data.lstrip()[:1] != b"{" or b'"entries"' not in data:
        return None
    log = jsontext.object_in(data).get("log")
    return log if isinstance(log, dict) and isinstance(log.get("entries"), list) else None


def _connection(entry: Any) -> Log | None:
    """The messages of a WebSocket, if at least half of them are JSON-RPC; otherwise None."""
    pieces = jsontext.objects(jsontext.as_object(entry).get("_webSocketMessages"))
    read = [(one, message.read(as_string(one.get("data")).encode("utf-8", "replace"))) for one in pieces]
    sent = [(one, text) for one, text in read if text.kind in _SPOKEN]
    if not sent or 2 * len(sent) < len(read):
        return None
    times = [clock_ns(one.get("time")) for one, _ in sent]
    other = Unused("a WebSocket", "has a message that is not JSON-RPC")
    log = Log(transport="websocket", unused=[other] * (len(read) - len(sent)))
    log.started_ns = times[0] if None not in times else None
    for (one, text), time in zip(sent, times, strict=True):
        sender: Sender = "client" if one.get("type") == "send" else "agent"
        at = None if log.started_ns is None or time is None else max(time - log.started_ns, 0)
        log.messages.append(Sent(text.text, sender, at))
    return log


def _exchanges(entries: list[Any]) -> tuple[list[HttpExchange], list[Unused]]:
    exchanges, unused = [], []
    for n, entry in enumerate(entries, 1):
        try:
            exchanges.append(_exchange(jsontext.as_object(entry)))
        except NotUsable as error:
            unused.append(Unused(f"entry {n}", str(error)))
    return exchanges, unused


def _exchange(entry: dict[str, Any]) -> HttpExchange:
    request, response = jsontext.as_object(entry.get("request")), jsontext.as_object(entry.get("response"))
    method, url = as_string(request.get("method")), as_string(request.get("url"))
    host, target = address(url)
    if not method or not host:
        raise NotUsable("has no request to a host")
    started = _moment(entry.get("startedDateTime"))
    sent, answered, ended = _times(started, jsontext.as_object(entry.get("timings")), entry.get("time"))
    status = as_integer(response.get("status")) or None
    version = as_string(request.get("httpVersion"))
    error = as_string(entry.get("_error")) or as_string(response.get("_error"))
    exchange = HttpExchange(
        started, method, host, target, protocol(version), _headers(request.get("headers")), is_decoded=True
    )
    exchange.request_body = _posted(request)
    exchange.sent_bytes = _size(request.get("bodySize"))
    exchange.sent_ns, exchange.answered_ns, exchange.ended_ns = sent, answered, ended
    exchange.messages = _messages(entry.get("_webSocketMessages"), started)
    if status is not None:
        exchange.status = status
        exchange.is_http_1_0 = as_string(response.get("httpVersion")).upper() == "HTTP/1.0"
        exchange.response_headers = _headers(response.get("headers"))
        exchange.response_body = _content(jsontext.as_object(response.get("content")))
        exchange.received_bytes = _size(response.get("bodySize"))
    if status is None or error:
        was_agent = any(word in error.lower() for word in ("abort", "cancel", "client", "agent"))
        exchange.broken_by = "agent" if was_agent else "provider"
    return exchange


def address(url: str) -> tuple[str, str]:
    """Host, with an unusual port, and path with query; empty if this is not an address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", ""
    host = parts.netloc
    if port is not None and port == _PORTS.get(parts.scheme):
        host = host.rpartition(":")[0]
    target = parts.path or "/"
    return (
        (host, f"{target}?{parts.query}" if parts.query else target) if parts.scheme in _PORTS else ("", "")
    )


def protocol(version: str) -> str:
    """`HTTP/2.0` and its other spellings as a trace has them; empty if it is unknown."""
    version = version.lower().removeprefix("http/")
    return {"1.1": "http/1.1", "1.0": "http/1.0", "2": "h2", "2.0": "h2", "3": "h3", "3.0": "h3"}.get(
        version, version if version in ("h2", "h3") else ""
    )


def _moment(text: Any) -> int:
    """In ns since 1970."""
    try:
        moment = datetime.fromisoformat(as_string(text))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        since = moment - _EPOCH
    except (ValueError, OverflowError):
        raise NotUsable("has no time") from None
    if not 0 <= since.total_seconds() < LATEST_S:
        raise NotUsable("has no time")
    return (since // timedelta(microseconds=1)) * 1000


def _times(started: int, timings: dict[str, Any], total: Any) -> tuple[int, int, int]:
    """When the request was sent, when its answer began, and when it ended: ns since 1970."""
    sent = started + sum(_ns(timings.get(name)) for name in _BEFORE_SENT)
    answered = sent + _ns(timings.get("wait"))
    return sent, answered, max(answered + _ns(timings.get("receive")), started + _ns(total))


def _ns(ms: Any) -> int:
    """Of ms; an archive has -1 for what did not happen."""
    is_number = isinstance(ms, (int, float)) and not isinstance(ms, bool) and math.isfinite(ms)
    return int(ms * _NS_PER_MS) if is_number and 0 < ms < _LONGEST_MS else 0


def _size(value: Any) -> int | None:
    size = as_integer(value)
    return size if size is not None and size >= 0 else None


def _headers(value: Any) -> Headers:
    """Names in lower case; those that HTTP/2 has instead of a first line are left out."""
    pairs = (
        (as_string(each.get("name")).lower(), as_string(each.get("value")))
        for each in jsontext.objects(value)
    )
    return tuple(pair for pair in pairs if pair[0] and not pair[0].startswith(":"))


def _posted(request: dict[str, Any]) -> bytes | None:
    posted = request.get("postData")
    if not isinstance(posted, dict):
        return None if (as_integer(request.get("bodySize")) or 0) > 0 else b""
    text = posted.get("text")
    if not isinstance(text, str):
        return None
    return _decoded(text, as_string(posted.get("encoding")))


def _content(content: dict[str, Any]) -> bytes | None:
    text = content.get("text")
    if not isinstance(text, str):
        return None if (as_integer(content.get("size")) or 0) > 0 else b""
    return _decoded(text, as_string(content.get("encoding")))


def _decoded(text: str, encoding: str) -> bytes | None:
    if encoding.lower() != "base64":
        return text.encode("utf-8", "replace")
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _messages(value: Any, started: int) -> list[SocketPiece]:
    pieces = []
    for each in jsontext.objects(value):
        is_text = each.get("opcode") != 2
        data = _decoded(as_string(each.get("data")), "" if is_text else "base64")
        at_ns = clock_ns(each.get("time")) or started
        side = _SIDES.get(as_string(each.get("type")))
        if data is not None and side is not None:
            pieces.append(SocketPiece(at_ns, side, data, is_text))
    return pieces
