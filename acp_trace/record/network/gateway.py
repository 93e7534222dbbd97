"""The ASGI application of the proxy: where each request goes, and what ends with the proxy itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine

from acp_trace.record.network.connections import AcpConnections
from acp_trace.record.network.passing import HttpPassing, answer
from acp_trace.record.network.recording import ConnectionTrace
from acp_trace.record.network.socket import SocketPassing
from acp_trace.record.network.upstream import AgentUpstream
from acp_trace.transport import headers as heads
from acp_trace.transport.bodies import BodyTooLarge, RequestAbandoned, body_of
from acp_trace.transport.limits import MOST_BYTES
from acp_trace.transport.serving import Receive, Scope, Send

_ACCEPTED = range(200, 300)
_GOING_AWAY = 1001


class Gateway:
    """Passes requests on. Requests for other paths than the endpoint's are not recorded."""

    def __init__(
        self,
        upstream: AgentUpstream,
        connections: AcpConnections,
        stop: asyncio.Event,
    ) -> None:
        self._upstream, self._connections, self._stop = upstream, connections, stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one WebSocket."""
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await body_of(receive, MOST_BYTES)
        except RequestAbandoned:
            return
        except BodyTooLarge:
            await answer(send, 413, "the body is too large")
            return
        name = heads.value(scope["headers"], heads.CONNECTION_ID)
        recording = self._recording(scope, name)
        passing = HttpPassing(self._upstream, scope, send, recording)
        try:
            await self._until(passing.run(body), lambda: _left(receive))
        finally:
            if recording is not None:
                self._after(scope["method"], name, passing, recording)

    def _recording(self, scope: Scope, name: str) -> ConnectionTrace | None:
        """Return the trace that a request belongs to; None if it does not belong to an ACP connection."""
        if scope["raw_path"] != self._upstream.remote.path.encode("latin-1"):
            return None
        if name:
            return self._connections.of(name)
        return self._connections.new("http") if scope["method"] == "POST" else None

    def _after(self, method: str, name: str, passing: HttpPassing, recording: ConnectionTrace) -> None:
        if not name and passing.status == 0:
            self._connections.end(recording, passing.failure)
            return
        if not name and passing.connection_id:
            self._connections.name(recording, passing.connection_id)
        if name and method == "DELETE" and passing.status in _ACCEPTED:
            self._connections.delete(name)
        self._connections.stream_ended(recording)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["raw_path"] != self._upstream.remote.path.encode("latin-1"):
            await receive()
            await send({"type": "websocket.http.response.start", "status": 404, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b""})
            return
        recording = self._connections.new("websocket")
        socket = SocketPassing(self._upstream, scope, receive, send)
        try:
            if not await self._until(socket.run(recording)):
                await send({"type": "websocket.close", "code": _GOING_AWAY, "reason": ""})
        finally:
            self._connections.end(recording, socket.failure)

    async def _until(
        self, work: Coroutine[None, None, None], left: Callable[[], Awaitable[None]] | None = None
    ) -> bool:
        """Run `work` until it is done, the client has left or the proxy ends; return whether it was done."""
        working: asyncio.Future[object] = asyncio.ensure_future(work)
        others: list[asyncio.Future[object]] = [asyncio.ensure_future(self._stop.wait())]
        if left is not None:
            others.append(asyncio.ensure_future(left()))
        try:
            await asyncio.wait({working, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_done = working.done()
            for each in (working, *others):
                each.cancel()
            results = await asyncio.gather(working, *others, return_exceptions=True)
        if is_done and isinstance(results[0], Exception):
            raise results[0]
        return is_done


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
