"""The body of a served request, in one piece and within a limit."""

from __future__ import annotations

from acp_trace.transport.serving import Receive


class BodyTooLarge(Exception):
    """The body of a request is longer than it may be."""


class RequestAbandoned(Exception):
    """The client closed its side before its request was complete."""


async def body_of(receive: Receive, most: int) -> bytes:
    """Return the whole body of a request, at most `most` bytes. Raises BodyTooLarge and RequestAbandoned."""
    body = bytearray()  # not a list: a client may send single bytes, and each would be an object
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestAbandoned
        body += message.get("body", b"")
        if len(body) > most:
            raise BodyTooLarge
        if not message.get("more_body", False):
            return bytes(body)
