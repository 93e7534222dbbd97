"""ACP over HTTP, the client's side: a POST for each message, an event stream for what comes back.

RFD "Streamable HTTP & WebSocket Transport". The first message, `initialize`, is answered at once, and the
answer names the connection. From then on a message is only accepted (202), and what the agent says comes on
the stream of the connection or, of a session, on that of the session. A stream of a session is opened before
anything is sent for it, as the SDK for TypeScript does: not every server keeps what nobody listens to.

Messages are sent one after the other, each when the one before it was accepted.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
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
from acp_trace.transport.routing import CONNECTION_ID, SESSION_ID, Routing, is_message
from acp_trace.transport.sse import ServerSentStream

_JSON, _EVENTS = "application/json", "text/event-stream"
_OK, _ACCEPTED = 200, 202
#: So long is a stream waited for before something is sent. A server may say nothing on it before it has to.
_OPEN_S = 5.0
#: Shorter than servers keep a connection that is idle (Node and Uvicorn: 5 s): a request on one that is just
#: being closed would be lost.
_IDLE_S = 2.0
_SHOWN = 200  #: characters of what a server says of its refusal


class HttpLink:
    """A link over HTTP (`client.Link`). `most_bytes`: of one message."""

    def __init__(self, remote: RemoteAddress, trust: ssl.SSLContext | None, *, most_bytes: int) -> None:
        import httpx

        self._remote = remote
        self._most = most_bytes
        self._http = httpx.AsyncClient(
            verify=trust or False,
            http2=True,
            trust_env=False,
            headers={**authorization(remote), "Accept-Encoding": "identity"},
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_IDLE_S),
        )
        self._connection = ""  #: its id
        self._routing = Routing()
        self._streams: dict[str, _Stream] = {}  #: by session; that of the connection by ""
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue(QUEUE)
        self._fault: asyncio.Future[ClientFault] = asyncio.get_running_loop().create_future()

    async def send(self, message: bytes) -> None:
        """Sends one message. Raises ClientFault."""
        if self._fault.done():
            raise self._fault.result()
        try:
            await self._send(message)
        except ClientFault as error:
            self._fail(error)
            raise

    async def receive(self) -> bytes:
        """The next message. Raises ClientFault when there is no more."""
        if self._inbox.empty() and not self._fault.done():
            taken = asyncio.ensure_future(self._inbox.get())
            try:
                waits: set[asyncio.Future[Any]] = {taken, self._fault}
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if taken.done():
                    return taken.result()
            finally:
                taken.cancel()
        if self._inbox.empty():
            raise self._fault.result()
        return self._inbox.get_nowait()

    async def close(self) -> None:
        """Deletes the connection, and lets go. Never raises."""
        tasks = [stream.task for stream in self._streams.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(Exception):
            if self._connection:
                async with asyncio.timeout(CLOSE_S):
                    await self._http.delete(self._remote.http, headers={CONNECTION_ID: self._connection})
        with contextlib.suppress(Exception):
            await self._http.aclose()

    async def _send(self, message: bytes) -> None:
        route = self._routing.send(message)
        if route.session and self._connection:
            await self._open(route.session, may_fail=not route.is_known)
        headers = {"Content-Type": _JSON}
        if self._connection:
            headers[CONNECTION_ID] = self._connection
            if route.session:
                headers[SESSION_ID] = route.session
        async with self._request("POST", headers, message) as response:
            what = route.method or "an answer"
            body = b"".join([chunk async for chunk in self._chunks(response, what)])
            begins = not self._connection
            if begins and response.is_success:
                self._connection = response.headers.get(CONNECTION_ID, "")
            await self._take_answer(response, body, what, is_first=begins)
        if begins and self._connection:
            await self._open("")

    async def _take_answer(self, response: Any, body: bytes, what: str, *, is_first: bool) -> None:
        """What a POST was answered with: a message, its acceptance, or a refusal."""
        if response.status_code == _ACCEPTED and not is_first:
            return
        if is_message(body):
            self._routing.receive(body)
            await self._inbox.put(body)
        elif not response.is_success:
            raise self._wrong(f"{what} was answered with {_status(response)}{_said(body)}")
        elif body.strip() or is_first:
            kind = response.headers.get("content-type", "no content type")
            raise self._wrong(f"{what} was answered with {kind}, and not with a message in JSON")
        if is_first and response.is_success and not self._connection:
            raise self._wrong(f"{what} was answered without {CONNECTION_ID}")

    async def _open(self, session: str, *, may_fail: bool = False) -> None:
        """Opens a stream that is not open, and waits until it is.

        `may_fail`: the server does not know the session yet, so it may refuse the stream for now.
        """
        stream = self._streams.get(session)
        if stream is None:
            stream = self._begin(session, may_fail=may_fail)
        waits: set[asyncio.Future[Any]] = {stream.opened, self._fault}
        await asyncio.wait(waits, timeout=_OPEN_S, return_when=asyncio.FIRST_COMPLETED)
        if self._fault.done():
            raise self._fault.result()

    def _begin(self, session: str, *, may_fail: bool = False) -> _Stream:
        stream = self._streams[session] = _Stream(session, may_fail=may_fail)
        stream.task = asyncio.ensure_future(self._follow(stream))
        return stream

    async def _follow(self, stream: _Stream) -> None:
        """Reads a stream to its end."""
        try:
            await self._read(stream)
        except ClientFault as error:
            if not stream.may_fail or stream.opened.done():
                self._fail(error)
        finally:
            if self._streams.get(stream.session) is stream:
                del self._streams[stream.session]
            if not stream.opened.done():
                stream.opened.set_result(None)

    async def _read(self, stream: _Stream) -> None:
        what = f"the stream of session {stream.session}" if stream.session else "the connection's stream"
        headers = {"Accept": _EVENTS, CONNECTION_ID: self._connection}
        if stream.session:
            headers[SESSION_ID] = stream.session
        events = ServerSentStream()
        async with self._request("GET", headers) as response:
            if response.status_code != _OK:
                body = b"".join([chunk async for chunk in self._chunks(response, what)])
                raise self._wrong(f"{what} was answered with {_status(response)}{_said(body)}")
            kind = response.headers.get("content-type", "no content type")
            if kind.partition(";")[0].strip().lower() != _EVENTS:
                raise self._wrong(f"{what} was answered with {kind}, and not with {_EVENTS}")
            stream.opened.set_result(None)
            try:
                async for chunk in response.aiter_bytes():
                    came = events.feed(chunk)
                    if max([events.pending_bytes, *(len(event.data) for event in came)]) > self._most:
                        raise self._wrong(f"{what} has an event of more than {self._most >> 20} MB")
                    for event in came:
                        await self._take_event(event.data, stream.session)
            except _transport_errors() as error:
                within = " within an event" if events.pending_bytes else ""
                raise self._wrong(f"{what} broke off{within}: {reason(error)}") from None
        if events.pending_bytes:
            raise self._wrong(f"{what} ended within an event")
        if not stream.session:
            raise self._wrong(f"{what} was ended by the agent's server")
        if self._routing.waits(stream.session):
            raise self._wrong(f"{what} ended before {self._routing.waits(stream.session)} was answered")

    async def _take_event(self, data: bytes, session: str) -> None:
        opened = self._routing.receive(data, session)
        if opened and opened not in self._streams:
            self._begin(opened)
        await self._inbox.put(data)

    @contextlib.asynccontextmanager
    async def _request(self, method: str, headers: dict[str, str], body: bytes = b"") -> AsyncIterator[Any]:
        request = self._http.build_request(method, self._remote.http, headers=headers, content=body or None)
        try:
            response = await self._http.send(request, stream=True)
        except _transport_errors() as error:
            raise self._wrong(reason(error)) from None
        try:
            yield response
        finally:
            with contextlib.suppress(*_transport_errors()):
                await response.aclose()

    async def _chunks(self, response: Any, what: str) -> AsyncIterator[bytes]:
        """A body that is read as a whole, within the limit."""
        size = 0
        try:
            async for chunk in response.aiter_bytes():
                size += len(chunk)
                if size > self._most:
                    raise self._wrong(f"{what} was answered with more than {self._most >> 20} MB")
                yield chunk
        except _transport_errors() as error:
            raise self._wrong(f"the answer to {what} broke off: {reason(error)}") from None

    def _wrong(self, why: str) -> ClientFault:
        return fault(self._remote, why)

    def _fail(self, error: ClientFault) -> None:
        if not self._fault.done():
            self._fault.set_result(error)


class _Stream:
    """An event stream: `opened` when its head has come, or it is over."""

    task: asyncio.Task[None]

    def __init__(self, session: str, *, may_fail: bool) -> None:
        self.session, self.may_fail = session, may_fail
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()


def _transport_errors() -> tuple[type[Exception], ...]:
    """What breaks a connection: httpx raises its own errors, and few of the system's as they are."""
    import httpx

    return httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError


def _status(response: Any) -> str:
    return status(response.status_code, response.reason_phrase)


def _said(body: bytes) -> str:
    """What a server says of its refusal, if it is short: a page of HTML is not."""
    text = " ".join(body.decode("utf-8", "replace").split())
    return f": {text}" if text and len(text) <= _SHOWN and "<" not in text else ""
