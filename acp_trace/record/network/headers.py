"""Which headers are passed on, and what of them may be written down. Pure.

Passed on are all but those that are about one connection of HTTP (RFC 9110, 7.6.1). Written down are the
values of a few that say how the transport works; of all others the name alone, for any may hold a secret.
"""

from __future__ import annotations

from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]

CONNECTION_ID, SESSION_ID = b"acp-connection-id", b"acp-session-id"

_PER_HOP = frozenset(
    b"connection keep-alive proxy-connection te trailer transfer-encoding upgrade http2-settings".split()
)
#: Of a request: made anew for the other side. Without accept-encoding, no body comes compressed.
_OF_REQUEST = _PER_HOP | frozenset(b"host content-length accept-encoding expect".split())
#: Of a response: alt-svc would lead the client past the proxy.
_OF_RESPONSE = _PER_HOP | {b"alt-svc"}
_HANDSHAKE = b"sec-websocket-"
_SHOWN = frozenset(
    b"accept allow content-encoding content-length content-type retry-after server upgrade user-agent "
    b"last-event-id cache-control".split()
) | {CONNECTION_ID, SESSION_ID}
_LONGEST = 500


def value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """The first value of a header, by its name in lower case; empty if there is none."""
    return next((each.decode("latin-1") for key, each in headers if key.lower() == name), "")


def of_request(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Those of a request that are passed on."""
    return _without(headers, _OF_REQUEST)


def of_response(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Those of a response that are passed on."""
    return _without(headers, _OF_RESPONSE)


def of_handshake(headers: Headers) -> Headers:
    """Those of a WebSocket's request or response that are passed on: not what the libraries negotiate."""
    return [each for each in of_response(of_request(headers)) if not each[0].lower().startswith(_HANDSHAKE)]


def shown(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str | None]]:
    """Names in lower case, with the values that may be written down; None in place of any other."""
    return [
        (name, each.decode("latin-1")[:_LONGEST] if name.encode("latin-1") in _SHOWN else None)
        for name, each in ((key.lower().decode("latin-1"), each) for key, each in headers)
    ]


def _without(headers: Iterable[tuple[bytes, bytes]], left_out: frozenset[bytes]) -> Headers:
    headers = list(headers)
    named = {
        name.strip().lower()
        for key, each in headers
        if key.lower() == b"connection"
        for name in each.split(b",")
    }
    return [each for each in headers if each[0].lower() not in left_out | named]
