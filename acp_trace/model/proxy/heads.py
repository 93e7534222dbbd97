"""The heads that the proxy reads and writes: the host that a request names, and its login. Pure.

A host and its port are read by the same rules as for every other listener (`gate.names`).
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from acp_trace.gate.names import host_and_port

_NO_HOST = "the request does not name a host and a port"
_TLS = 443


class BadRequest(ValueError):
    """A request that is not answered. The message says why, and quotes nothing of the request."""


def tunnel(head: bytes) -> tuple[str, int]:
    """Return host and port of a CONNECT. Raises BadRequest."""
    _, *words = head.partition(b"\r\n")[0].decode("latin-1").split(" ")
    if len(words) != 2:
        raise BadRequest(_NO_HOST)
    return named(words[0], _TLS)


def named(text: str, port: int) -> tuple[str, int]:
    """Return host and port; `port` if none is named. Raises BadRequest: a login has no place there."""
    parts = host_and_port(text)
    if parts is None:
        raise BadRequest(_NO_HOST)
    return parts.host, parts.port or port


def logins(head: bytes) -> Iterator[bytes]:
    """Return the values of the headers `Proxy-Authorization`."""
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"proxy-authorization":
            yield value.strip()


def refusal(status: int, why: str) -> tuple[bytes, bytes]:
    """Return the first line and the body of an answer that refuses a request."""
    line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"
    return line.encode(), f"acp-trace: {why}\n".encode()


def answer(head: bytes, body: bytes) -> bytes:
    """Return an answer of the proxy itself. `head`: without the headers of the body."""
    rest = b"Content-Type: text/plain\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    return head + b"\r\n" + rest + body
