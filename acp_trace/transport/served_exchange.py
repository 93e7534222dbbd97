"""One request to the endpoint with its response, or one WebSocket. Each part is logged, then passed on.

A request's connection, and so its log, is known when its head or even its body has been read. Until then
nothing is logged. `endpoint` decides what a request means.
"""

from __future__ import annotations

from typing import Any

from acp_trace.transport.bodies import BodyTooLarge, RequestAbandoned, body_of
from acp_trace.transport.headers import Headers, shown, value
from acp_trace.transport.serving import Receive, Scope, Send
from acp_trace.transport.sse import event_bytes
from acp_trace.transport.stream_log import NOBODY, StreamLog

_TEXT = b"text/plain; charset=utf-8"
_COMMENT = b": \n\n"
_GOING_AWAY = 1001  #: RFC 6455, 7.4.1


class RequestRefused(Exception):
    """A request that is answered with a status and one line."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class ServedExchange:
    """A request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._log = NOBODY
        self._stream = 0
        self._end: dict[str, object] = {"by": "client"}

    @property
    def is_websocket(self) -> bool:
        """Whether it asks for a WebSocket."""
        return bool(self._scope["type"] == "websocket")

    @property
    def method(self) -> str:
        """The HTTP method."""
        return "GET" if self.is_websocket else str(self._scope["method"])

    @property
    def path(self) -> str:
        """The path, decoded."""
        return str(self._scope["path"])

    def header(self, name: bytes) -> str:
        """Return the value of a header, by its name in lower case; empty if there is none."""
        return value(self._scope["headers"], name)

    def belongs_to(self, log: StreamLog) -> None:
        """Make it a stream of the connection with this log. Call it once."""
        self._log = log
        self._stream = log.stream(
            method=self.method,
            path=self._scope["raw_path"].decode("latin-1"),
            protocol=self._protocol,
            headers=shown(self._scope["headers"]),
        )

    def accept(self, message: bytes) -> bytes:
        """Log the client's message, and return it for the agent."""
        self._log.message("client", self._stream, message)
        return message

    def over(self) -> None:
        """Mark the exchange as over. Always call it at the end."""
        self._log.stream_ends(self._stream, **self._end)
        self._log = NOBODY

    async def refuse(self, refused: RequestRefused) -> None:
        """Answer with a status and one line, even to a request for a WebSocket."""
        await self.answer(refused.status, [(b"content-type", _TEXT)], f"{refused.why}\n".encode())

    async def answer(self, status: int, headers: Headers | None = None, body: bytes = b"") -> None:
        """Send the whole response."""
        kind = "websocket.http" if self.is_websocket else "http"
        await self._begin(kind, status, [*(headers or []), (b"content-length", str(len(body)).encode())])
        self._log.body(self._stream, body)
        self._end = {"by": "agent"}
        await self._send({"type": f"{kind}.response.body", "body": body})

    # -- HTTP

    async def body(self, most: int) -> bytes:
        """Return the whole body of the request, at most `most` bytes. Raises RequestRefused."""
        try:
            return await body_of(self._receive, most)
        except RequestAbandoned:
            raise RequestRefused(400, "the body is not complete") from None
        except BodyTooLarge:
            raise RequestRefused(413, "the body is too large") from None

    async def left(self) -> None:
        """Return when the client has gone."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin_events(self) -> None:
        """Begin an event stream."""
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
        await self._begin("http", 200, headers)

    async def event(self, message: bytes) -> None:
        """Send a message of the agent in an event; without a message, a comment."""
        if message:
            self._log.message("agent", self._stream, message)
        event = event_bytes(message) if message else _COMMENT
        await self._send({"type": "http.response.body", "body": event, "more_body": True})

    async def end_events(self, *, is_left: bool) -> None:
        """End an event stream. `is_left`: the client has gone already."""
        if not is_left:
            self._end = {"by": "agent"}
        await self._send({"type": "http.response.body", "body": b""})

    # -- WebSocket

    async def open_socket(self, headers: Headers) -> None:
        """Open the requested WebSocket."""
        self._log.say(self._stream, response={"status": 101, "headers": shown(headers)})
        await self._send({"type": "websocket.accept", "headers": headers})

    async def next_message(self) -> bytes | None:
        """Return the next message; None when the client has closed."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return None  # hypercorn does not pass on the code with which it was closed
        text: str | None = message.get("text")
        return bytes(message.get("bytes") or b"") if text is None else text.encode()

    async def send_message(self, message: bytes) -> None:
        """Send a message of the agent."""
        self._log.message("agent", self._stream, message)
        await self._send({"type": "websocket.send", "text": message.decode("utf-8", "replace")})

    async def close_socket(self) -> None:
        """Close the WebSocket, because the agent has ended."""
        self._end = {"by": "agent", "code": _GOING_AWAY}
        await self._send({"type": "websocket.close", "code": _GOING_AWAY, "reason": ""})

    @property
    def _protocol(self) -> str:
        return "WebSocket" if self.is_websocket else f"HTTP/{self._scope['http_version']}"

    async def _begin(self, kind: str, status: int, headers: Headers) -> None:
        head: dict[str, Any] = {"status": status, "headers": shown(headers)}
        if not self.is_websocket:
            head["protocol"] = self._protocol
        self._log.say(self._stream, response=head)
        await self._send({"type": f"{kind}.response.start", "status": status, "headers": headers})
