"""Shapes of what passes on a connection. Each event belongs to an exchange; the caller chose its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Names in lower case, as HTTP compares them; in the order in which they came, repeated ones too.
Headers = tuple[tuple[str, str], ...]
#: The side that spoke: the agent, or the provider that it talks to.
Side = Literal["agent", "provider"]


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request begins. `target` is its path with its query, as it was sent."""

    exchange: int
    method: str
    target: str
    host: str
    headers: Headers
    protocol: str  #: `http/1.1` or `h2`


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """A response begins. 1xx responses come before the one that counts."""

    exchange: int
    status: int
    headers: Headers
    is_http_1_0: bool = False  #: some clients reject an HTTP/1.0 answer, even to an upgrade


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes of a body from one read, without the framing of HTTP, still in its content coding."""

    exchange: int
    side: Side
    data: bytes


@dataclass(frozen=True, slots=True)
class BodyEnd:
    """A request, or a response, is complete."""

    exchange: int
    side: Side


@dataclass(frozen=True, slots=True)
class SocketMessage:
    """A message of a WebSocket that an exchange has become, decompressed."""

    exchange: int
    side: Side
    data: bytes
    is_text: bool


@dataclass(frozen=True, slots=True)
class Broken:
    """An exchange that will never be complete: `side` reset it, or closed the connection.

    `why`: set if the connection cannot be read further, so that the rest of the exchange is unknown.
    """

    exchange: int
    side: Side
    why: str = ""


Event = RequestHead | ResponseHead | Body | BodyEnd | SocketMessage | Broken


class UnreadableTraffic(Exception):
    """The rest of a connection cannot be read; its bytes are passed on all the same."""
