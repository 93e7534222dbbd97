"""WebSockets served by hypercorn: without compression, and with a limit on the bytes of a message.

A few bytes of a compressed message can inflate to gigabytes, and hypercorn inflates them at once, in the loop
that serves all clients. Clients do not need compression: they offer it, and the offer may be ignored (RFC
6455, 9.1). A message beyond the limit ends the WebSocket with 1009, and is dropped. hypercorn has no setting
for either, so a WebSocket's stream is changed before its handshake is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from acp_trace.transport.limits import MOST_BYTES, TOO_BIG

#: The key of a message's size on the wire, in bytes.
SIZE = "acp_trace.size"


class UnlimitedSocket(RuntimeError):
    """A WebSocket of this version of hypercorn cannot be limited, so it is not served."""


def limit(send: Callable[[MutableMapping[str, Any]], Awaitable[None]], keep: Callable[[int], None]) -> None:
    """Limit a WebSocket before it is accepted. `send`: the application's. Raises UnlimitedSocket.

    `keep` is called with the number of bytes that came, and (negative) of those that are dropped. The bytes
    of a message that was passed on still count: `SIZE` in the message is their number.
    """
    from hypercorn.protocol.ws_stream import FrameTooLargeError, WSStream

    stream = getattr(send, "__self__", None)
    if not isinstance(stream, WSStream):
        raise UnlimitedSocket
    stream.handshake.extensions = None  # what the client offers
    stream.buffer = _Buffer(stream.app_put, FrameTooLargeError, keep)  # type: ignore[assignment]


class _Buffer:
    """A message as it arrives. Once it is too long, it is dropped, and so is everything after it."""

    def __init__(
        self,
        put: Callable[[MutableMapping[str, Any]], Awaitable[None]] | None,
        too_long: type[Exception],
        keep: Callable[[int], None],
    ) -> None:
        self._put, self._too_long, self._keep = put, too_long, keep
        self._data = bytearray()  #: in one piece: endless empty fragments would fill a list
        self._is_text = False
        self._telling: asyncio.Future[None] | None = None

    def extend(self, event: Any) -> None:
        """Add the next part. If that is too much, raises hypercorn's error, which it answers with 1009."""
        self._is_text = isinstance(event.data, str)
        part = event.data.encode() if self._is_text else event.data
        self._data += part
        self._keep(len(part))
        if len(self._data) > MOST_BYTES or self._telling is not None:
            self._keep(-len(self._data))
            self.clear()
            if self._telling is None:
                self._telling = asyncio.ensure_future(self._tell())
            raise self._too_long

    def clear(self) -> None:
        """Reset for the next message."""
        self._data = bytearray()

    def to_message(self) -> dict[str, Any]:
        """Return the message in ASGI's form."""
        text, data = (self._data.decode(), None) if self._is_text else (None, bytes(self._data))
        return {"type": "websocket.receive", "text": text, "bytes": data, SIZE: len(self._data)}

    async def _tell(self) -> None:
        """Notify the application of the end, because hypercorn waits for the client to close."""
        if self._put is not None:
            await self._put({"type": "websocket.disconnect", "code": TOO_BIG})
