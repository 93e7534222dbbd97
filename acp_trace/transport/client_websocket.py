"""ACP over WebSocket, the client's side: one message a text frame, both ways on one connection."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Any

from acp_trace.transport.address import RemoteAddress
from acp_trace.transport.client_link import (
    CLOSE_S,
    CONNECT_S,
    QUEUE,
    ClientFault,
    authorization,
    fault,
    reason,
    status,
)

#: RFC 6455, 7.4.1: the code of a close without one, and of a connection that broke.
_NO_STATUS, _ABNORMAL = 1005, 1006
_TOO_BIG = 1009


async def connected(remote: RemoteAddress, trust: ssl.SSLContext | None, *, most_bytes: int) -> WebSocketLink:
    """A link over WebSocket (`client.Link`). Raises ClientFault."""
    import websockets
    from websockets.asyncio.client import connect

    class Direct(connect):
        def process_redirect(self, exc: Exception) -> Exception:
            """Follows none: nobody has said that the agent may be there."""
            return exc

    try:
        socket = await Direct(
            remote.websocket,
            additional_headers=authorization(remote),
            compression=None,
            max_size=most_bytes,
            max_queue=QUEUE,
            ping_interval=None,
            open_timeout=CONNECT_S,
            close_timeout=CLOSE_S,
            proxy=None,
            ssl=trust if remote.is_secure else None,
        )
    except websockets.InvalidStatus as refused:
        answer = status(refused.response.status_code, refused.response.reason_phrase)
        raise fault(remote, f"the request for a WebSocket was answered with {answer}") from None
    except (OSError, websockets.WebSocketException) as error:
        raise fault(remote, reason(error)) from None
    return WebSocketLink(remote, socket, most_bytes)


class WebSocketLink:
    """A link over an open WebSocket."""

    def __init__(self, remote: RemoteAddress, socket: Any, most_bytes: int) -> None:
        self._remote, self._socket, self._most = remote, socket, most_bytes

    async def send(self, message: bytes) -> None:
        """Sends one message; what is not UTF-8 in a binary frame. Raises ClientFault."""
        import websockets

        try:
            await self._socket.send(_text(message))
        except websockets.ConnectionClosed:
            raise self._closed() from None

    async def receive(self) -> bytes:
        """The next message. Raises ClientFault when there is no more."""
        import websockets

        try:
            message = await self._socket.recv()
        except websockets.ConnectionClosed:
            raise self._closed() from None
        return message.encode("utf-8", "surrogatepass") if isinstance(message, str) else bytes(message)

    async def close(self) -> None:
        """Closes it, and waits until its socket is closed. Never raises."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(2 * CLOSE_S):
                await self._socket.close()
                await self._socket.wait_closed()

    def _closed(self) -> ClientFault:
        code, why = self._socket.close_code or _ABNORMAL, " ".join((self._socket.close_reason or "").split())
        if self._socket.protocol.close_sent is not None and self._socket.protocol.close_sent.code == _TOO_BIG:
            return fault(
                self._remote, f"the agent's server sent a message of more than {self._most >> 20} MB"
            )
        if code == _ABNORMAL:
            return fault(self._remote, "the WebSocket broke off")
        shown = "" if code == _NO_STATUS else f" with {code}"
        return fault(
            self._remote, f"the agent's server closed the WebSocket{shown}{': ' if why else ''}{why}"
        )


def _text(message: bytes) -> str | bytes:
    try:
        return message.decode()
    except UnicodeDecodeError:
        return message
