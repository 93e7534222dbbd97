"""One HTTP request and its response, passed on as they come; complete messages are written down first.

A body that is sent at once is one message. An event stream is also cut into events: its bytes are passed on
unchanged, after the events that they complete are in the trace. The agent's data is read only as fast as the
client takes it.
"""

from __future__ import annotations

from acp_trace.record.network.recording import ConnectionTrace
from acp_trace.record.network.upstream import AgentResponse, AgentUnreachable, AgentUpstream
from acp_trace.transport import headers as heads
from acp_trace.transport.limits import MOST_BYTES
from acp_trace.transport.serving import Scope, Send, target_of
from acp_trace.transport.sse import ServerSentStream


async def answer(send: Send, status: int, text: str) -> None:
    """Send a response of the proxy itself: one line."""
    body = f"acp-trace: {text}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class HttpPassing:
    """One exchange. `recording` and `stream`: where it is written; None: it is only passed on."""

    def __init__(
        self, upstream: AgentUpstream, scope: Scope, send: Send, recording: ConnectionTrace | None
    ) -> None:
        self._upstream, self._scope, self._send = upstream, scope, send
        self._recording = recording
        self._stream = 0
        self.status = 0  #: of the response; 0: there was no response
        self.connection_id = ""  #: from the response
        self.failure: str | None = None  #: why the response is missing or broken off

    async def run(self, body: bytes) -> None:
        """Pass the request on, then the response. In any case, the client gets an answer."""
        method = self._scope["method"]
        sent = self._scope["headers"]
        if self._recording is not None:
            self._stream = self._recording.stream(
                method=method,
                path=self._scope["raw_path"].decode("latin-1"),
                protocol=f"HTTP/{self._scope['http_version']}",
                headers=heads.shown(sent),
            )
            if body:
                self._recording.message("client", self._stream, body)
        by = "client"
        try:
            response = await self._head(method, sent, body)
            if response is None:
                by = "agent"
                return
            try:
                await self._pass_on(response)
            finally:
                await response.close()
            by = "agent"
        except AgentUnreachable as gone:
            by, self.failure = "agent", str(gone)
        finally:
            if self._recording is not None:
                why = {} if self.failure is None else {"failed": self.failure}
                self._recording.stream_ends(self._stream, by=by, **why)

    async def _head(self, method: str, sent: heads.Headers, body: bytes) -> AgentResponse | None:
        """Return the head of the response; None if there is none, and the client got an error."""
        try:
            response = await self._upstream.request(method, target_of(self._scope), sent, body)
        except AgentUnreachable as error:
            self.failure = str(error)
            await answer(
                self._send, 502, f"cannot reach the agent at {self._upstream.remote.shown} ({error})"
            )
            return None
        self.status = response.status
        self.connection_id = heads.value(response.headers, heads.CONNECTION_ID)
        return response

    async def _pass_on(self, response: AgentResponse) -> None:
        self._say(
            response={
                "status": response.status,
                "protocol": response.protocol,
                "headers": heads.shown(response.headers),
            }
        )
        start = {"type": "http.response.start", "status": response.status, "headers": response.headers}
        kind = heads.value(response.headers, b"content-type").partition(";")[0].strip().lower()
        coding = heads.value(response.headers, b"content-encoding").strip().lower()
        is_plain = coding in ("", "identity")
        if not is_plain:
            self._say(unread=f"content-encoding {coding[:40]}")
        if self._recording is None or not is_plain or kind == "text/event-stream":
            await self._send(start)
            await self._pass_stream(response, ServerSentStream() if is_plain else None)
            return
        pieces, size = [], 0
        chunks = response.chunks()
        async for piece in chunks:
            pieces.append(piece)
            size += len(piece)
            if size > MOST_BYTES:
                self._say(unread=f"a body of more than {MOST_BYTES} bytes")
                break
        else:
            self._recording.body(self._stream, b"".join(pieces))
        await self._send(start)
        for piece in pieces:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        async for piece in chunks:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        await self._send({"type": "http.response.body", "body": b""})

    async def _pass_stream(self, response: AgentResponse, events: ServerSentStream | None) -> None:
        """Pass the pieces on: at most one is held, so a client that does not read makes the agent wait."""
        since = 0
        async for piece in response.chunks():
            if events is not None and self._recording is not None:
                whole = events.feed(piece)
                for event in whole:
                    self._recording.message("agent", self._stream, event.data)
                since = 0 if whole else since + len(piece)
                if since > MOST_BYTES:
                    self._say(unread=f"an event of more than {MOST_BYTES} bytes")
                    events = None
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        await self._send({"type": "http.response.body", "body": b""})

    def _say(self, **facts: object) -> None:
        if self._recording is not None:
            self._recording.say(self._stream, **facts)
