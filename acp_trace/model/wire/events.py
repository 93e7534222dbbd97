"""What goes past on a connection: shapes. Each event is of an exchange, by a number that the caller chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Names in lower case, as HTTP compares them; in the order in which they came, repeated ones too.
Headers = tuple[tuple[str, str], ...]
#: Who spoke: the agent, or the provider that it talks to.
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
    is_http_1_0: bool = False  #: some clients do not take an answer of HTTP/1.0, not even that to an upgrade


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes of a body: what was read at once, without the framing of HTTP, still in its content coding."""

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
    """An exchange that has not ended and will not: `side` reset it, or closed the connection.

    `why`: if it is not known how it went on, because the connection can be read no further.
    """

    exchange: int
    side: Side
    why: str = ""


Event = RequestHead | ResponseHead | Body | BodyEnd | SocketMessage | Broken


class UnreadableTraffic(Exception):
    """From here on nobody knows what a connection says; the bytes go past all the same."""
