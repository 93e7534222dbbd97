"""Which headers are passed on: all but those about one connection of HTTP (RFC 9110, 7.6.1). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.transport.headers import Headers

_PER_HOP = frozenset(
    b"connection keep-alive proxy-connection te trailer transfer-encoding upgrade http2-settings".split()
)
#: Of a request: made anew for the other side. Without accept-encoding, no body comes compressed.
_OF_REQUEST = _PER_HOP | frozenset(b"host content-length accept-encoding expect".split())
#: Of a response: alt-svc would lead the client past the proxy.
_OF_RESPONSE = _PER_HOP | {b"alt-svc"}
_HANDSHAKE = b"sec-websocket-"


def of_request(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Those of a request that are passed on."""
    return _without(headers, _OF_REQUEST)


def of_response(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Those of a response that are passed on."""
    return _without(headers, _OF_RESPONSE)


def of_handshake(headers: Headers) -> Headers:
    """Those of a WebSocket's request or response that are passed on: not what the libraries negotiate."""
    return [each for each in of_response(of_request(headers)) if not each[0].lower().startswith(_HANDSHAKE)]


def _without(headers: Iterable[tuple[bytes, bytes]], left_out: frozenset[bytes]) -> Headers:
    headers = list(headers)
    named = {
        name.strip().lower()
        for key, each in headers
        if key.lower() == b"connection"
        for name in each.split(b",")
    }
    return [each for each in headers if each[0].lower() not in left_out | named]
