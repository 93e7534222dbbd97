"""The body of a request that is served, in one piece and within a limit."""

from __future__ import annotations

from acp_trace.transport.limits import MOST_BYTES
from acp_trace.transport.serving import Receive


class BodyTooLarge(Exception):
    """The body of a request has more than MOST_BYTES."""


class RequestAbandoned(Exception):
    """The client closed its side before its request was complete."""


async def body_of(receive: Receive) -> bytes:
    """Return the whole body of a request. Raises BodyTooLarge and RequestAbandoned."""
    body = bytearray()  # and not a list: a client may send single bytes, and each would be an object
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAbandoned
        body += message.get("body", b"")
        if len(body) > MOST_BYTES:
            raise BodyTooLarge
        if not message.get("more_body", False):
            return bytes(body)
