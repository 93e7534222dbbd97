"""Which headers are passed on: all except those of a single HTTP connection (RFC 9110, 7.6.1). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.transport.headers import Headers

_PER_HOP = frozenset(
    b"connection keep-alive proxy-connection te trailer transfer-encoding upgrade http2-settings".split()
)
#: Request headers that the other side gets new. Without accept-encoding, bodies come uncompressed.
_OF_REQUEST = _PER_HOP | frozenset(b"host content-length accept-encoding expect".split())
#: Response headers left out: alt-svc would lead the client past the proxy.
_OF_RESPONSE = _PER_HOP | {b"alt-svc"}
_HANDSHAKE = b"sec-websocket-"


def of_request(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a request to pass on."""
    return _without(headers, _OF_REQUEST)


def of_response(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a response to pass on."""
    return _without(headers, _OF_RESPONSE)


def of_handshake(headers: Headers) -> Headers:
    """Return the headers of a WebSocket handshake to pass on: not those that the libraries negotiate."""
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
