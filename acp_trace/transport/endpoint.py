"""The agent's side of ACP over HTTP and WebSocket: an ASGI application that turns requests into connections.

RFD "Streamable HTTP & WebSocket Transport". `initialize` begins a connection and is answered at once; every
other message is accepted (202), and the agent's reply goes to the event stream of the connection or of a
session. Messages for a stream that is not open wait for it. The content of messages concerns only the agent's
side (`Answering`); `served_exchange` reads and answers requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from acp_trace.protocol.methods import INITIALIZE
from acp_trace.trace.jsontext import value_or_none
from acp_trace.transport.address import ENDPOINT
from acp_trace.transport.headers import CONNECTION_ID, SESSION_ID
from acp_trace.transport.limits import MOST_BYTES, MOST_OF_FIRST
from acp_trace.transport.served import ServedConnection
from acp_trace.transport.served_exchange import RequestRefused, ServedExchange
from acp_trace.transport.serving import Receive, Scope, Send
from acp_trace.transport.stream_log import NOBODY, StreamLog

_JSON, _EVENTS = "application/json", "text/event-stream"
#: Seconds between comments on a stream, which show that the connection works or detect that it does not.
_KEEP_ALIVE_S = 15.0

#: Acts as the agent on a connection; when it returns, the connection is over.
Answering = Callable[[ServedConnection], Awaitable[None]]
#: Returns the log of a connection that begins now, over `http` or `websocket`.
NewLog = Callable[[str], Awaitable[StreamLog]]


async def no_log(_: str) -> StreamLog:
    """Return the log of connections that are not recorded."""
    return NOBODY


class Endpoint:
    """Serves ACP at `/acp`. `most`: the largest number of connections; None: no limit.

    `new_log` returns the log of each connection. A request without a connection is in none.
    """

    def __init__(
        self,
        answering: Answering,
        *,
        most: int | None = None,
        new_log: NewLog = no_log,
    ) -> None:
        self._answering, self._left = answering, most
        self._new_log = new_log
        self._connections: dict[str, ServedConnection] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one WebSocket."""
        exchange = ServedExchange(scope, receive, send)
        try:
            if exchange.path != ENDPOINT:
                raise RequestRefused(404, f"ACP is served at {ENDPOINT}")
            if exchange.is_websocket:
                await receive()
                await self._socket(exchange)
            else:
                methods = {"POST": self._post, "GET": self._get, "DELETE": self._delete}
                await methods.get(exchange.method, _unknown)(exchange)
        except RequestRefused as refused:
            await exchange.refuse(refused)
        finally:
            exchange.over()

    async def close(self) -> None:
        """End all connections, and wait until every agent's side is done."""
        for connection in self._connections.values():
            connection.leave()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _post(self, exchange: ServedExchange) -> None:
        connection = self._named(exchange) if exchange.header(CONNECTION_ID) else None
        if exchange.header(b"content-type").partition(";")[0].strip().lower() != _JSON:
            raise RequestRefused(415, "a message is application/json")
        # Parsing a body takes time and many times its size, while other clients wait.
        body = await exchange.body(MOST_OF_FIRST if connection is None else MOST_BYTES)
        message = value_or_none(body)
        if isinstance(message, list):
            raise RequestRefused(501, "batches are not supported")
        if not isinstance(message, dict):
            raise RequestRefused(400, "the body is not a message in JSON")
        if connection is None:
            await self._initialize(exchange, message, body)
            return
        if connection.needs_session(message) and not exchange.header(SESSION_ID):
            raise RequestRefused(400, "Acp-Session-Id is missing")
        await connection.take(exchange.accept(body))
        await exchange.answer(202)

    async def _initialize(self, exchange: ServedExchange, message: dict[str, Any], body: bytes) -> None:
        if message.get("method") != INITIALIZE or "id" not in message:
            raise RequestRefused(400, "Acp-Connection-Id is missing, and this does not begin a connection")
        connection = await self._begin(exchange)
        answer = connection.first_answer()
        await connection.take(exchange.accept(body))
        data = await answer
        if data is None:
            raise RequestRefused(500, "the agent has ended")
        headers = [(b"content-type", _JSON.encode()), (CONNECTION_ID, connection.id.encode())]
        await exchange.answer(200, headers, data)

    async def _get(self, exchange: ServedExchange) -> None:
        connection = self._named(exchange)
        if _EVENTS not in exchange.header(b"accept").lower():
            raise RequestRefused(406, "only an event stream is available here")
        stream = connection.attach(exchange.header(SESSION_ID))
        if stream is None:
            raise RequestRefused(409, "this stream is already being read")
        left = asyncio.ensure_future(exchange.left())
        try:
            await exchange.begin_events()
            while not left.done() and (data := await stream.next(left, _KEEP_ALIVE_S)) is not None:
                await exchange.event(data)
            await exchange.end_events(is_left=left.done())
        finally:
            left.cancel()
            connection.detach(stream)

    async def _delete(self, exchange: ServedExchange) -> None:
        connection = self._named(exchange)
        await exchange.answer(202)
        connection.leave()

    async def _socket(self, exchange: ServedExchange) -> None:
        connection = await self._begin(exchange)
        stream = connection.attach("")
        assert stream is not None
        await exchange.open_socket([(CONNECTION_ID, connection.id.encode())])
        taking = asyncio.ensure_future(_take(connection, exchange))
        try:
            while data := await stream.next(taking, None):
                await exchange.send_message(data)
            if not taking.done():
                await exchange.close_socket()
        finally:
            taking.cancel()
            connection.leave()

    async def _begin(self, exchange: ServedExchange) -> ServedConnection:
        if self._left == 0:
            raise RequestRefused(503, "no more connections are served")
        self._left = None if self._left is None else self._left - 1
        log = await self._new_log("websocket" if exchange.is_websocket else "http")
        exchange.belongs_to(log)
        connection = ServedConnection(log, in_one_stream=exchange.is_websocket)
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

    def _named(self, exchange: ServedExchange) -> ServedConnection:
        """Return the connection that a request names: it belongs to it from now on, even if it is refused."""
        name = exchange.header(CONNECTION_ID)
        if not name:
            raise RequestRefused(400, "Acp-Connection-Id is missing")
        if name not in self._connections:
            raise RequestRefused(404, "there is no connection with this Acp-Connection-Id")
        connection = self._connections[name]
        exchange.belongs_to(connection.log)
        return connection


async def _take(connection: ServedConnection, exchange: ServedExchange) -> None:
    """Take what comes on a WebSocket, until the client closes it."""
    while (message := await exchange.next_message()) is not None:
        await connection.take(exchange.accept(message))
    connection.leave()


async def _unknown(_: ServedExchange) -> None:
    raise RequestRefused(405, "ACP knows POST, GET and DELETE")
