"""ACP over HTTP, the client's side: a POST for each message, an event stream for the replies.

RFD "Streamable HTTP & WebSocket Transport". The first message, `initialize`, is answered at once, and the
answer names the connection. After that a message is only accepted (202), and the agent's messages come on the
stream of the connection, or on the stream of their session. A session's stream is opened before anything is
sent for the session, as the SDK for TypeScript does: not every server keeps messages without a reader.

Messages are sent one after the other, each when the previous one was accepted.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from acp_trace.transport.client_link import CLOSE_S, QUEUE, ClientFault, fault
from acp_trace.transport.client_requests import BrokenOff, HttpAnswer, HttpRequests
from acp_trace.transport.headers import CONNECTION_NAME, SESSION_NAME
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.routing import Routing, is_message
from acp_trace.transport.sse import ServerSentStream
from acp_trace.transport.stream_log import StreamLog

_JSON, _EVENTS = "application/json", "text/event-stream"
_OK, _ACCEPTED = 200, 202
#: Seconds to wait for a stream before something is sent. A server may send nothing on it at first.
_OPEN_S = 5.0


class HttpLink:
    """A link over HTTP (`client.Link`). `most_bytes`: of one message."""

    def __init__(self, agent: RemoteAgent, log: StreamLog, *, most_bytes: int) -> None:
        self._agent, self._log = agent, log
        self._most = most_bytes
        self._requests = HttpRequests(agent, log, most_bytes=most_bytes)
        self._connection = ""  #: its id
        self._routing = Routing()
        self._streams: dict[str, _EventStream] = {}  #: by session; the connection's stream has the key ""
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue(QUEUE)
        self._fault: asyncio.Future[ClientFault] = asyncio.get_running_loop().create_future()

    async def send(self, message: bytes) -> None:
        """Send one message. Raises ClientFault."""
        if self._fault.done():
            raise self._fault.result()
        try:
            await self._send(message)
        except ClientFault as error:
            self._fail(error)
            raise

    async def receive(self) -> bytes:
        """Return the next message. Raises ClientFault when there are no more."""
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
        """Delete the connection, and release everything. Never raises."""
        tasks = [stream.task for stream in self._streams.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(Exception):
            if self._connection:
                async with (
                    asyncio.timeout(CLOSE_S),
                    self._requests.request("DELETE", {CONNECTION_NAME: self._connection}) as answer,
                ):
                    self._log.body(answer.stream, await answer.body("DELETE"))
        with contextlib.suppress(Exception):
            await self._requests.close()

    async def _send(self, message: bytes) -> None:
        route = self._routing.send(message)
        if route.session and self._connection:
            await self._open(route.session, may_fail=not route.is_known)
        headers = {"Content-Type": _JSON}
        if self._connection:
            headers[CONNECTION_NAME] = self._connection
            if route.session:
                headers[SESSION_NAME] = route.session
        async with self._requests.request("POST", headers, message) as answer:
            what = route.method or "an answer"
            body = await answer.body(what)
            self._log.body(answer.stream, body)
            begins = not self._connection
            if begins and answer.is_success:
                self._connection = answer.header(CONNECTION_NAME)
            await self._take_answer(answer, body, what, is_first=begins)
        if begins and self._connection:
            await self._open("")

    async def _take_answer(self, answer: HttpAnswer, body: bytes, what: str, *, is_first: bool) -> None:
        """Process the answer to a POST: a message, its acceptance, or a refusal."""
        if answer.status == _ACCEPTED and not is_first:
            return
        if is_message(body):
            self._routing.receive(body)
            await self._inbox.put(body)
        elif not answer.is_success:
            raise answer.refusal(what, body)
        elif body.strip() or is_first:
            raise self._wrong(f"{what} was answered with {answer.kind}, not with a message in JSON")
        if is_first and answer.is_success and not self._connection:
            raise self._wrong(f"{what} was answered without {CONNECTION_NAME}")

    async def _open(self, session: str, *, may_fail: bool = False) -> None:
        """Open a stream that is not open, and wait until it is.

        `may_fail`: the server does not know the session yet, so it may still refuse the stream.
        """
        stream = self._streams.get(session)
        if stream is None:
            stream = self._begin(session, may_fail=may_fail)
        waits: set[asyncio.Future[Any]] = {stream.opened, self._fault}
        await asyncio.wait(waits, timeout=_OPEN_S, return_when=asyncio.FIRST_COMPLETED)
        if self._fault.done():
            raise self._fault.result()

    def _begin(self, session: str, *, may_fail: bool = False) -> _EventStream:
        stream = self._streams[session] = _EventStream(session, may_fail=may_fail)
        stream.task = asyncio.ensure_future(self._follow(stream))
        return stream

    async def _follow(self, stream: _EventStream) -> None:
        """Read a stream to its end."""
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

    async def _read(self, stream: _EventStream) -> None:
        what = f"the stream of session {stream.session}" if stream.session else "the connection's stream"
        headers = {"Accept": _EVENTS, CONNECTION_NAME: self._connection}
        if stream.session:
            headers[SESSION_NAME] = stream.session
        events = ServerSentStream()
        async with self._requests.request("GET", headers) as answer:
            if answer.status != _OK:
                body = await answer.body(what)
                self._log.body(answer.stream, body)
                raise answer.refusal(what, body)
            if answer.kind.partition(";")[0].strip().lower() != _EVENTS:
                raise self._wrong(f"{what} was answered with {answer.kind}, not with {_EVENTS}")
            stream.opened.set_result(None)
            try:
                async for chunk in answer.chunks():
                    came = events.feed(chunk)
                    if max([events.pending_bytes, *(len(event.data) for event in came)]) > self._most:
                        raise self._wrong(f"{what} has an event of more than {self._most >> 20} MB")
                    for event in came:
                        self._log.message("agent", answer.stream, event.data)
                        await self._take_event(event.data, stream.session)
            except BrokenOff as broken:
                within = " within an event" if events.pending_bytes else ""
                raise self._wrong(f"{what} broke off{within}: {broken}") from None
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

    def _wrong(self, why: str) -> ClientFault:
        return fault(self._agent, why)

    def _fail(self, error: ClientFault) -> None:
        if not self._fault.done():
            self._fault.set_result(error)


class _EventStream:
    """An event stream: `opened` is set when its head has come, or it is over."""

    task: asyncio.Task[None]

    def __init__(self, session: str, *, may_fail: bool) -> None:
        self.session, self.may_fail = session, may_fail
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
