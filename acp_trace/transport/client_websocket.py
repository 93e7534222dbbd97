"""ACP over WebSocket, the client's side: one message per text frame, both ways on one connection."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from acp_trace.transport.client_link import (
    CLOSE_S,
    CONNECT_S,
    QUEUE,
    ClientFault,
    fault,
    reason,
    status,
)
from acp_trace.transport.headers import shown
from acp_trace.transport.limits import TOO_BIG
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.stream_log import StreamLog

#: RFC 6455, 7.4.1. The last two are never sent: no code was given, and the connection broke.
_NORMAL, _NO_STATUS, _ABNORMAL = 1000, 1005, 1006


async def connected(agent: RemoteAgent, log: StreamLog, *, most_bytes: int) -> WebSocketLink:
    """Open a link over WebSocket (`client.Link`). Raises ClientFault.

    The log gets the request headers that are given here, but not those of the handshake.
    """
    import websockets
    from websockets.asyncio.client import connect
    from websockets.http11 import USER_AGENT

    class Direct(connect):
        def process_redirect(self, exc: Exception) -> Exception:
            """Do not follow a redirect: the user did not name that address."""
            return exc

    raw = [(name.encode(), value.encode()) for name, value in agent.headers]
    named = shown(raw, agent.own_names)
    stream = log.stream(method="GET", path=agent.address.path, protocol="WebSocket", headers=named)
    end: dict[str, object] | None = {"by": "client"}
    try:
        socket = await Direct(
            agent.address.websocket,
            additional_headers=agent.headers,
            compression=None,
            max_size=most_bytes,
            max_queue=QUEUE,
            ping_interval=None,
            open_timeout=CONNECT_S,
            close_timeout=CLOSE_S,
            proxy=None,
            ssl=agent.trust,
            user_agent_header=None if b"user-agent" in agent.own_names else USER_AGENT,
        )
    except websockets.InvalidStatus as refused:
        _tell_head(log, stream, refused.response)
        end = {"by": "agent"}
        answer = status(refused.response.status_code, refused.response.reason_phrase)
        raise fault(agent, f"the request for a WebSocket was answered with {answer}") from None
    except (OSError, websockets.WebSocketException) as error:
        end = {"by": "agent", "failed": reason(error)}
        raise fault(agent, reason(error)) from None
    else:
        _tell_head(log, stream, socket.response)
        end = None
    finally:
        if end is not None:
            log.stream_ends(stream, **end)
    return WebSocketLink(agent, socket, log, stream, most_bytes=most_bytes)


def _tell_head(log: StreamLog, stream: int, response: Any) -> None:
    raw = [(name.encode("latin-1"), each.encode("latin-1")) for name, each in response.headers.raw_items()]
    log.say(stream, response={"status": response.status_code, "headers": shown(raw)})


class WebSocketLink:
    """A link over an open WebSocket. `stream`: its number in the log."""

    def __init__(
        self, agent: RemoteAgent, socket: Any, log: StreamLog, stream: int, *, most_bytes: int
    ) -> None:
        self._agent, self._socket, self._most = agent, socket, most_bytes
        self._log, self._stream = log, stream
        self._has_ended = False

    async def send(self, message: bytes) -> None:
        """Send one message, in a binary frame if it is not UTF-8. Raises ClientFault."""
        import websockets

        self._log.message("client", self._stream, message)
        try:
            await self._socket.send(_text(message))
        except websockets.ConnectionClosed:
            raise self._closed() from None

    async def receive(self) -> bytes:
        """Return the next message. Raises ClientFault when there are no more."""
        import websockets

        try:
            message = await self._socket.recv()
        except websockets.ConnectionClosed:
            raise self._closed() from None
        data = message.encode("utf-8", "surrogatepass") if isinstance(message, str) else bytes(message)
        self._log.message("agent", self._stream, data)
        return data

    async def close(self) -> None:
        """Close it, and wait until its socket is closed. Never raises."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(2 * CLOSE_S):
                await self._socket.close()
                await self._socket.wait_closed()
        self._ends("client", _NORMAL)

    def _ends(self, by: str, code: int) -> None:
        """Log which side closed it first, and how."""
        if not self._has_ended:
            self._has_ended = True
            self._log.stream_ends(self._stream, by=by, code=code)

    def _closed(self) -> ClientFault:
        code, why = self._socket.close_code or _ABNORMAL, " ".join((self._socket.close_reason or "").split())
        if self._socket.protocol.close_sent is not None and self._socket.protocol.close_sent.code == TOO_BIG:
            self._ends("client", TOO_BIG)
            return fault(self._agent, f"the agent's server sent a message of more than {self._most >> 20} MB")
        self._ends("agent", code)
        if code == _ABNORMAL:
            return fault(self._agent, "the WebSocket broke off")
        shown = "" if code == _NO_STATUS else f" with {code}"
        return fault(self._agent, f"the agent's server closed the WebSocket{shown}{': ' if why else ''}{why}")


def _text(message: bytes) -> str | bytes:
    try:
        return message.decode()
    except UnicodeDecodeError:
        return message
