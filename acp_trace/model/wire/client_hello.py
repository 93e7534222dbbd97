"""The first message of TLS, as far as a proxy must read it before it answers: which host, which protocols.

RFC 8446, 4.1.2 (ClientHello), RFC 6066, 3 (server_name), RFC 7301, 3.1 (ALPN). Nothing else of TLS is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_HANDSHAKE, _CLIENT_HELLO = 22, 1
_RECORD_HEAD, _MESSAGE_HEAD = 5, 4
#: The version and 32 random bytes.
_FIXED = 34
_SERVER_NAME, _ALPN = 0, 16
#: No real client's hello is longer: browsers with post-quantum keys need 2,000 bytes.
LONGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class ClientHello:
    """What a client asks for. `host` is None if it does not name one; `protocols` are in its order.

    Protocols that are not ASCII are left out: clients offer unknown ones on purpose, so that servers learn to
    ignore them (RFC 8701).
    """

    host: str | None = None
    protocols: tuple[str, ...] = ()


class NotTls(ValueError):
    """The bytes are not a ClientHello."""


def read(data: bytes) -> ClientHello | None:
    """Return the hello at the start of `data`, or None while it is not complete. Raises NotTls."""
    message = bytearray()
    at = 0
    while True:
        head = data[at : at + _RECORD_HEAD]
        if head and head[0] != _HANDSHAKE:
            raise NotTls
        length = int.from_bytes(head[3:], "big")
        record = data[at + _RECORD_HEAD : at + _RECORD_HEAD + length]
        if len(head) < _RECORD_HEAD or len(record) < length:
            if len(data) > LONGEST:
                raise NotTls
            return None
        message += record
        at += _RECORD_HEAD + length
        if message and message[0] != _CLIENT_HELLO:
            raise NotTls
        end = _MESSAGE_HEAD + int.from_bytes(message[1:_MESSAGE_HEAD], "big")
        if len(message) >= _MESSAGE_HEAD and end <= len(message):
            return _hello(bytes(message[_MESSAGE_HEAD:end]))


def _hello(body: bytes) -> ClientHello:
    rest = body[_FIXED:]
    for size in (1, 2, 1):  # the session's id, the ciphers, the compressions
        _, rest = _counted(rest, size)
    extensions, _ = _counted(rest, 2)
    host: str | None = None
    protocols: tuple[str, ...] = ()
    for kind, value in _extensions(extensions):
        if kind == _SERVER_NAME:
            name, _ = _counted(_counted(value, 2)[0][1:], 2)
            host = name.decode("ascii", "replace") or None
        elif kind == _ALPN:
            offered = _names(_counted(value, 2)[0])
            protocols = tuple(name.decode("ascii") for name in offered if name and name.isascii())
    return ClientHello(host, protocols)


def _extensions(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= _MESSAGE_HEAD:
        kind = int.from_bytes(data[:2], "big")
        value, data = _counted(data[2:], 2)
        yield kind, value


def _names(data: bytes) -> Iterator[bytes]:
    while data:
        name, data = _counted(data, 1)
        yield name


def _counted(data: bytes, size: int) -> tuple[bytes, bytes]:
    """Return a value after its length of `size` bytes, and the rest. A truncated value stays short."""
    end = size + int.from_bytes(data[:size], "big")
    return data[size:end], data[end:]
