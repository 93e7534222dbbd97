"""The agent's side of ACP over HTTP and WebSocket: an ASGI application that turns requests into connections.

RFD "Streamable HTTP & WebSocket Transport". `initialize` begins a connection and is answered at once; every
other message is accepted (202), and what the agent says to it goes to the event stream of the connection or
of a session. Whatever comes for a stream that is not open waits for it. What the messages say is the concern
of whoever answers (`Answering`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from acp_trace.trace.jsontext import value_or_none
from acp_trace.transport.address import ENDPOINT, ListenAddress
from acp_trace.transport.served import ServedConnection
from acp_trace.transport.serving import Receive, Scope, Send
from acp_trace.transport.sse import event_bytes

CONNECTION_ID, SESSION_ID = b"acp-connection-id", b"acp-session-id"
_JSON, _EVENTS, _TEXT = b"application/json", b"text/event-stream", b"text/plain; charset=utf-8"
_MOST_BYTES = 256 << 20  #: of a body; beyond what any side accepts (32 MiB in the SDKs)
#: A comment now and then shows that the connection is there, and finds out that it is not.
_KEEP_ALIVE_S = 15.0
_GOING_AWAY = 1001  #: RFC 6455, 7.4.1

#: Plays the agent on a connection; when it returns, the connection is over.
Answering = Callable[[ServedConnection], Awaitable[None]]


class _Refused(Exception):
    """A request that is answered with a status and a line."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Endpoint:
    """Serves ACP at `/acp` of an address. At most `most` connections; None: as many as there are."""

    def __init__(self, answering: Answering, address: ListenAddress, *, most: int | None = None) -> None:
        self._answering, self._address, self._left = answering, address, most
        self._connections: dict[str, ServedConnection] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one WebSocket."""
        try:
            self._check(scope)
            if scope["type"] == "websocket":
                await self._socket(receive, send)
            else:
                methods = {"POST": self._post, "GET": self._get, "DELETE": self._delete}
                await methods.get(scope["method"], _unknown)(scope, receive, send)
        except _Refused as refused:
            kind = "websocket.http" if scope["type"] == "websocket" else "http"
            headers = [(b"content-type", _TEXT)]
            await send({"type": f"{kind}.response.start", "status": refused.status, "headers": headers})
            await send({"type": f"{kind}.response.body", "body": f"{refused.why}\n".encode()})

    async def close(self) -> None:
        """Ends all connections, and waits until whoever answers is done."""
        for connection in self._connections.values():
            connection.leave()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _check(self, scope: Scope) -> None:
        if not self._address.accepts_host(_header(scope, b"host")):
            raise _Refused(421, "this address is for programs of this machine")
        if scope["path"] != ENDPOINT:
            raise _Refused(404, f"ACP is served at {ENDPOINT}")

    async def _post(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _kind(_header(scope, b"content-type")) != _JSON.decode():
            raise _Refused(415, "a message is application/json")
        body = await _body(receive)
        message = value_or_none(body)
        if isinstance(message, list):
            raise _Refused(501, "batches are not supported")
        if not isinstance(message, dict):
            raise _Refused(400, "the body is not a message in JSON")
        if not _header(scope, CONNECTION_ID):
            await self._initialize(message, body, send)
            return
        connection = self._named(scope)
        if connection.needs_session(message) and not _header(scope, SESSION_ID):
            raise _Refused(400, "Acp-Session-Id is missing")
        connection.take(body)
        await _answer(send, 202)

    async def _initialize(self, message: dict[str, Any], body: bytes, send: Send) -> None:
        if message.get("method") != "initialize" or "id" not in message:
            raise _Refused(400, "Acp-Connection-Id is missing, and this does not begin a connection")
        connection = self._begin(in_one_stream=False)
        answer = connection.first_answer()
        connection.take(body)
        data = await answer
        if data is None:
            raise _Refused(500, "the agent has ended")
        headers = [(b"content-type", _JSON), (CONNECTION_ID, connection.id.encode())]
        await _answer(send, 200, headers, data)

    async def _get(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _EVENTS.decode() not in _header(scope, b"accept").lower():
            raise _Refused(406, "only an event stream can be had here")
        connection = self._named(scope)
        stream = connection.attach(_header(scope, SESSION_ID))
        if stream is None:
            raise _Refused(409, "this stream is read already")
        left = asyncio.ensure_future(_left(receive))
        try:
            headers = [(b"content-type", _EVENTS), (b"cache-control", b"no-cache")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while not left.done():
                data = await stream.next(left, _KEEP_ALIVE_S)
                if data is None:
                    break
                event = event_bytes(data) if data else b": \n\n"
                await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            left.cancel()
            connection.detach(stream)

    async def _delete(self, scope: Scope, _: Receive, send: Send) -> None:
        connection = self._named(scope)
        connection.leave()
        await _answer(send, 202)

    async def _socket(self, receive: Receive, send: Send) -> None:
        await receive()
        connection = self._begin(in_one_stream=True)
        stream = connection.attach("")
        assert stream is not None
        await send({"type": "websocket.accept", "headers": [(CONNECTION_ID, connection.id.encode())]})
        taking = asyncio.ensure_future(_take(connection, receive))
        try:
            while data := await stream.next(taking, None):
                await send({"type": "websocket.send", "text": data.decode("utf-8", "replace")})
            if not taking.done():
                await send({"type": "websocket.close", "code": _GOING_AWAY, "reason": ""})
        finally:
            taking.cancel()
            connection.leave()

    def _begin(self, *, in_one_stream: bool) -> ServedConnection:
        if self._left == 0:
            raise _Refused(503, "no more connections are served")
        self._left = None if self._left is None else self._left - 1
        connection = ServedConnection(in_one_stream=in_one_stream)
        self._connections[connection.id] = connection
        task = asyncio.ensure_future(self._run(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return connection

    async def _run(self, connection: ServedConnection) -> None:
        try:
            await self._answering(connection)
        finally:
            connection.end()
            self._connections.pop(connection.id, None)

    def _named(self, scope: Scope) -> ServedConnection:
        name = _header(scope, CONNECTION_ID)
        if not name:
            raise _Refused(400, "Acp-Connection-Id is missing")
        if name not in self._connections:
            raise _Refused(404, "there is no connection of this Acp-Connection-Id")
        return self._connections[name]


async def _take(connection: ServedConnection, receive: Receive) -> None:
    """Takes in what comes on a WebSocket, until the client closes it."""
    while (message := await receive())["type"] == "websocket.receive":
        text = message.get("text")
        connection.take((message.get("bytes") or b"") if text is None else text.encode())
    connection.leave()


async def _unknown(*_: object) -> None:
    raise _Refused(405, "ACP knows POST, GET and DELETE")


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _body(receive: Receive) -> bytes:
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Refused(400, "the body is not complete")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > _MOST_BYTES:
            raise _Refused(413, "the body is too large")
        more = message.get("more_body", False)
    return b"".join(parts)


async def _answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]] | None = None, body: bytes = b""
) -> None:
    sent = [*(headers or []), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": sent})
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), "")


def _kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
