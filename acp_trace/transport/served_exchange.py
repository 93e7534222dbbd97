"""One request to the endpoint with its response, or one WebSocket. Each part is told to a log, then goes on.

To which connection a request belongs, and so which log is told, is known when its head or even its body was
read. Until then nothing is told. What a request means, `endpoint` decides.
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
    """A request that is answered with a status and a line."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class ServedExchange:
    """A request, and what goes back."""

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
        """The method of HTTP."""
        return "GET" if self.is_websocket else str(self._scope["method"])

    @property
    def path(self) -> str:
        """The path, decoded."""
        return str(self._scope["path"])

    def header(self, name: bytes) -> str:
        """The value of a header, by its name in lower case; empty if there is none."""
        return value(self._scope["headers"], name)

    def belongs_to(self, log: StreamLog) -> None:
        """It is a stream of the connection of this log. To be called once."""
        self._log = log
        self._stream = log.stream(
            method=self.method,
            path=self._scope["raw_path"].decode("latin-1"),
            protocol=self._protocol,
            headers=shown(self._scope["headers"]),
        )

    def accept(self, message: bytes) -> bytes:
        """The client's message, which goes on to the agent."""
        self._log.message("client", self._stream, message)
        return message

    def over(self) -> None:
        """It is over: to be called at the end, whatever happened."""
        self._log.stream_ends(self._stream, **self._end)
        self._log = NOBODY

    async def refuse(self, refused: RequestRefused) -> None:
        """Answers with a status and a line, also a request for a WebSocket."""
        await self.answer(refused.status, [(b"content-type", _TEXT)], f"{refused.why}\n".encode())

    async def answer(self, status: int, headers: Headers | None = None, body: bytes = b"") -> None:
        """The whole response."""
        kind = "websocket.http" if self.is_websocket else "http"
        await self._begin(kind, status, [*(headers or []), (b"content-length", str(len(body)).encode())])
        self._log.body(self._stream, body)
        self._end = {"by": "agent"}
        await self._send({"type": f"{kind}.response.body", "body": body})

    # -- HTTP

    async def body(self, most: int) -> bytes:
        """The whole body of the request, at most so many bytes. Raises RequestRefused."""
        try:
            return await body_of(self._receive, most)
        except RequestAbandoned:
            raise RequestRefused(400, "the body is not complete") from None
        except BodyTooLarge:
            raise RequestRefused(413, "the body is too large") from None

    async def left(self) -> None:
        """Returns when the client has gone."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin_events(self) -> None:
        """Begins an event stream."""
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]
        await self._begin("http", 200, headers)

    async def event(self, message: bytes) -> None:
        """A message of the agent in an event; without one, a comment."""
        if message:
            self._log.message("agent", self._stream, message)
        event = event_bytes(message) if message else _COMMENT
        await self._send({"type": "http.response.body", "body": event, "more_body": True})

    async def end_events(self, *, is_left: bool) -> None:
        """Ends an event stream. `is_left`: the client has gone already."""
        if not is_left:
            self._end = {"by": "agent"}
        await self._send({"type": "http.response.body", "body": b""})

    # -- WebSocket

    async def open_socket(self, headers: Headers) -> None:
        """Opens the WebSocket that is asked for."""
        self._log.say(self._stream, response={"status": 101, "headers": shown(headers)})
        await self._send({"type": "websocket.accept", "headers": headers})

    async def next_message(self) -> bytes | None:
        """What comes next; None when the client has closed."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return None  # hypercorn does not pass on the code with which it was closed
        text: str | None = message.get("text")
        return bytes(message.get("bytes") or b"") if text is None else text.encode()

    async def send_message(self, message: bytes) -> None:
        """A message of the agent."""
        self._log.message("agent", self._stream, message)
        await self._send({"type": "websocket.send", "text": message.decode("utf-8", "replace")})

    async def close_socket(self) -> None:
        """The agent has ended."""
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
