"""One WebSocket, passed on message by message; each is written down before it goes on.

Each direction holds one message at a time, and the libraries a few: a side that does not read makes the other
side wait.
"""

from __future__ import annotations

import asyncio
from typing import Any

from acp_trace.record.network.headers import of_handshake
from acp_trace.record.network.recording import ConnectionTrace
from acp_trace.record.network.upstream import AgentUnreachable, AgentUpstream, WebSocketRefused
from acp_trace.transport import headers as heads
from acp_trace.transport.limits import MOST_BYTES, TOO_BIG
from acp_trace.transport.serving import Receive, Scope, Send, target_of

_NO_STATUS, _ABNORMAL, _GOING_AWAY, _BAD_GATEWAY = 1005, 1006, 1001, 1014
#: Close codes that may be sent (RFC 6455, 7.4), as far as the libraries accept them.
_SENDABLE = (frozenset(range(1000, 1015)) - {1004, _NO_STATUS, _ABNORMAL}) | frozenset(range(3000, 5000))


class SocketPassing:
    """The WebSocket of one connection."""

    def __init__(self, upstream: AgentUpstream, scope: Scope, receive: Receive, send: Send) -> None:
        self._upstream, self._scope, self._receive, self._send = upstream, scope, receive, send
        self._ends: dict[str, object] = {"by": "client"}  #: how it ends, as far as known
        self._was_too_long = False  #: a message of either side
        self.failure: str | None = None  #: why there was no connection to the agent

    async def run(self, recording: ConnectionTrace) -> None:
        """Serve it from the request to the close, by either side."""
        sent = self._scope["headers"]
        stream = recording.stream(
            method="GET",
            path=self._scope["raw_path"].decode("latin-1"),
            protocol="WebSocket",
            headers=heads.shown(sent),
        )
        try:
            await self._receive()  # websocket.connect
            agent = await self._connected(recording, stream, sent)
            if agent is None:
                self._ends = {"by": "agent", **({"failed": self.failure} if self.failure else {})}
                return
            try:
                self._ends = await self._pass_on(recording, stream, agent)
            finally:
                await agent.close()
        finally:
            if self._ends["by"] == "client":
                recording.client_left = True
            recording.stream_ends(stream, **self._ends)

    async def _connected(self, recording: ConnectionTrace, stream: int, sent: heads.Headers) -> Any:
        """Connect to the agent, then accept the client. Return None if the client got a refusal instead."""
        try:
            agent = await self._upstream.socket(
                target_of(self._scope), sent, list(self._scope.get("subprotocols", ()))
            )
        except WebSocketRefused as refused:
            shown = heads.shown(refused.headers)
            recording.say(stream, response={"status": refused.status, "headers": shown})
            await self._refuse(refused.status, refused.headers, refused.body)
            return None
        except AgentUnreachable as error:
            self.failure = str(error)
            text = f"acp-trace: cannot reach the agent at {self._upstream.remote.shown} ({error})\n"
            await self._refuse(502, [(b"content-type", b"text/plain; charset=utf-8")], text.encode())
            return None
        raw = [(key.encode(), each.encode()) for key, each in agent.response.headers.raw_items()]
        recording.say(stream, response={"status": 101, "headers": heads.shown(raw)})
        await self._send(
            {
                "type": "websocket.accept",
                "subprotocol": agent.subprotocol,
                "headers": [(key.lower(), each) for key, each in of_handshake(raw)],
            }
        )
        return agent

    async def _refuse(self, status: int, headers: heads.Headers, body: bytes) -> None:
        kept = [(key.lower(), each) for key, each in headers if key.lower() != b"content-length"]
        kept.append((b"content-length", str(len(body)).encode()))
        await self._send({"type": "websocket.http.response.start", "status": status, "headers": kept})
        await self._send({"type": "websocket.http.response.body", "body": body})

    async def _pass_on(self, recording: ConnectionTrace, stream: int, agent: Any) -> dict[str, object]:
        """Pass both directions on until one side closes; return how it ended."""
        directions = [
            asyncio.ensure_future(self._from_client(recording, stream, agent)),
            asyncio.ensure_future(self._from_agent(recording, stream, agent)),
        ]
        try:
            done, _ = await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
            # If both are done: the agent's close answers the client's.
            first = directions[0] if directions[0] in done else directions[1]
            return first.result()
        finally:
            for each in directions:
                each.cancel()
            await asyncio.gather(*directions, return_exceptions=True)

    async def _from_client(self, recording: ConnectionTrace, stream: int, agent: Any) -> dict[str, object]:
        import websockets

        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                code = message.get("code") or _NO_STATUS
                if code == TOO_BIG:  # from our server: its connection may break before the agent's is closed
                    self._say_too_long(recording, stream)
                    self._ends = {"by": "client", "code": code}
                await agent.close(code if code in _SENDABLE else _GOING_AWAY)
                return {"by": "client", "code": code}
            text: str | None = message.get("text")
            data: bytes = message.get("bytes") or b""
            recording.message("client", stream, data if text is None else text.encode())
            try:
                await agent.send(data if text is None else text)
            except websockets.ConnectionClosed:
                return await self._closed(recording, stream, agent)

    async def _from_agent(self, recording: ConnectionTrace, stream: int, agent: Any) -> dict[str, object]:
        import websockets

        while True:
            try:
                message = await agent.recv()
            except websockets.ConnectionClosed:
                return await self._closed(recording, stream, agent)
            is_text = isinstance(message, str)
            recording.message("agent", stream, message.encode() if is_text else message)
            await self._send({"type": "websocket.send", ("text" if is_text else "bytes"): message})

    def _say_too_long(self, recording: ConnectionTrace, stream: int) -> None:
        if not self._was_too_long:
            self._was_too_long = True
            recording.say(stream, unread=f"a message of more than {MOST_BYTES} bytes")

    async def _closed(self, recording: ConnectionTrace, stream: int, agent: Any) -> dict[str, object]:
        """Close the client's side in the same way, after the agent has closed or its connection broke."""
        code = agent.close_code or _ABNORMAL
        reason = agent.close_reason or ""
        sent = agent.protocol.close_sent
        if sent is not None and sent.code == TOO_BIG:  # we closed it: a message of the agent was too long
            self._say_too_long(recording, stream)
            code, reason = TOO_BIG, ""
        if code == _NO_STATUS:
            await self._send({"type": "websocket.close", "code": 1000, "reason": ""})
        elif code in _SENDABLE:
            await self._send({"type": "websocket.close", "code": code, "reason": reason})
        else:
            await self._send(
                {"type": "websocket.close", "code": _BAD_GATEWAY, "reason": "the agent's connection broke"}
            )
        return {"by": "agent", "code": code}
