"""WebSockets that hypercorn serves: without compression, and with a limit on the bytes of a message.

A few bytes of a compressed message stand for gigabytes, and hypercorn inflates them at once, in the loop that
serves all clients. Clients need no compression: it is an offer of theirs, which may be left unanswered (RFC
6455, 9.1). A message beyond the limit ends the WebSocket with 1009, and nothing of it is kept. hypercorn has
no setting for either, so the stream of a WebSocket is changed before its handshake is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from acp_trace.transport.limits import MOST_BYTES, TOO_BIG

#: In a message: its bytes on the wire.
SIZE = "acp_trace.size"


class UnlimitedSocket(RuntimeError):
    """A WebSocket of this version of hypercorn cannot be limited, so it is not served."""


def limit(send: Callable[[MutableMapping[str, Any]], Awaitable[None]], keep: Callable[[int], None]) -> None:
    """Limits a WebSocket before it is accepted. `send`: as the application got it. Raises UnlimitedSocket.

    `keep` is told of bytes that came, and (negative) of those that are dropped. Those of a message that was
    passed on are still kept: `SIZE` in it is their number.
    """
    from hypercorn.protocol.ws_stream import FrameTooLargeError, WSStream

    stream = getattr(send, "__self__", None)
    if not isinstance(stream, WSStream):
        raise UnlimitedSocket
    stream.handshake.extensions = None  # what the client offers
    stream.buffer = _Buffer(stream.app_put, FrameTooLargeError, keep)  # type: ignore[assignment]


class _Buffer:
    """A message while it comes. Once it is too long, it is dropped, and so is all that follows."""

    def __init__(
        self,
        put: Callable[[MutableMapping[str, Any]], Awaitable[None]] | None,
        too_long: type[Exception],
        keep: Callable[[int], None],
    ) -> None:
        self._put, self._too_long, self._keep = put, too_long, keep
        self._data = bytearray()  #: in one piece: endless fragments of nothing would fill a list
        self._is_text = False
        self._telling: asyncio.Future[None] | None = None

    def extend(self, event: Any) -> None:
        """Adds the next part. If that is too much, raises hypercorn's error, which it answers with 1009."""
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
        """The next message begins."""
        self._data = bytearray()

    def to_message(self) -> dict[str, Any]:
        """The message, as ASGI has it."""
        text, data = (self._data.decode(), None) if self._is_text else (None, bytes(self._data))
        return {"type": "websocket.receive", "text": text, "bytes": data, SIZE: len(self._data)}

    async def _tell(self) -> None:
        """Tells the application that it is over: hypercorn waits for the client to close."""
        if self._put is not None:
            await self._put({"type": "websocket.disconnect", "code": TOO_BIG})
