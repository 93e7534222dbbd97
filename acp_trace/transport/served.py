"""One served ACP connection: the client's messages, in order, and the streams for the replies.

Requests and sockets are unknown here: `endpoint` has them.
"""

from __future__ import annotations

import asyncio
import uuid
from collections import deque
from typing import Any

from acp_trace.protocol.payloads import ParamsView
from acp_trace.transport.routing import ServedRouting
from acp_trace.transport.stream_log import StreamLog

#: Seconds after which a client that sends nothing and reads no stream has gone without notice.
LEFT_S = 10.0


class ServedStream:
    """The messages that wait for the client on one event stream, or on a WebSocket."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.is_read = False
        self._waiting: deque[bytes] = deque()
        self._ended = False
        self._changed = asyncio.Event()

    def put(self, message: bytes) -> None:
        """Add a message."""
        self._waiting.append(message)
        self._changed.set()

    def end(self) -> None:
        """Mark the end: nothing more comes."""
        self._ended = True
        self._changed.set()

    async def next(self, left: asyncio.Future[Any], longest_s: float | None) -> bytes | None:
        """Return the next message; empty if none came in time; None at the end, and when `left` is done."""
        if not self._waiting and not self._ended:
            self._changed.clear()
            changed = asyncio.ensure_future(self._changed.wait())
            waits: set[asyncio.Future[Any]] = {changed, left}
            try:
                await asyncio.wait(waits, timeout=longest_s, return_when=asyncio.FIRST_COMPLETED)
            finally:
                changed.cancel()
        if self._waiting and not left.done():
            return self._waiting.popleft()
        return None if self._ended or left.done() else b""


class ServedConnection:
    """One connection, from the agent's side. `in_one_stream`: a WebSocket.

    `log` is for the endpoint, which notifies it of the connection's requests.
    """

    def __init__(self, log: StreamLog, *, in_one_stream: bool) -> None:
        self.id = uuid.uuid4().hex
        self.log = log
        self._in_one_stream = in_one_stream
        self._routing = ServedRouting()
        self._streams = {"": ServedStream("")}
        #: One message: the next ones wait at `take`, and count with their requests until then.
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        self._over = asyncio.Event()
        self._order = asyncio.Lock()  #: of messages that wait for room in the inbox
        self._putting: set[asyncio.Task[None]] = set()
        self._first: asyncio.Future[bytes | None] | None = None
        self._is_left = False
        self._leaving: asyncio.TimerHandle | None = None

    async def receive(self) -> bytes | None:
        """Return the client's next message; None when it has gone."""
        return await self._inbox.get()

    def send(self, message: bytes) -> None:
        """Send a message to the client, on the stream that it belongs to."""
        if self._first is not None and not self._first.done() and self._routing.answers(message):
            self._first.set_result(message)
            return
        session = self._routing.send(message)
        self._stream("" if self._in_one_stream else session).put(message)

    # -- for the endpoint

    async def take(self, message: bytes) -> None:
        """Take a message of the client, once the agent's side has received the earlier ones."""
        self._routing.receive(message)
        await self._put(message)

    def needs_session(self, message: dict[str, Any]) -> bool:
        """Whether a message of the client has to name its session in a header."""
        return ParamsView(message.get("params")).session_id is not None

    def first_answer(self) -> asyncio.Future[bytes | None]:
        """The answer to the first request, which goes to no stream; None if the agent ends first."""
        self._first = asyncio.get_running_loop().create_future()
        return self._first

    def attach(self, session: str) -> ServedStream | None:
        """Return the stream of a session or the connection, for one reader; None if it has a reader."""
        stream = self._stream(session)
        if stream.is_read:
            return None
        stream.is_read = True
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        return stream

    def detach(self, stream: ServedStream) -> None:
        """Release a stream. If no stream has a reader, the client may have gone."""
        stream.is_read = False
        if not any(each.is_read for each in self._streams.values()) and not self._is_left:
            loop = asyncio.get_running_loop()
            self._leaving = self._leaving or loop.call_later(LEFT_S, self.leave)

    def leave(self) -> None:
        """Note that the client has gone."""
        if not self._is_left:
            self._is_left = True
            putting = asyncio.ensure_future(self._put(None))
            self._putting.add(putting)
            putting.add_done_callback(self._putting.discard)

    def end(self) -> None:
        """Note that the agent has ended: its streams end too, when they are read to their end."""
        self._is_left = True
        self._over.set()
        if self._leaving is not None:
            self._leaving.cancel()
        if self._first is not None and not self._first.done():
            self._first.set_result(None)
        for stream in self._streams.values():
            stream.end()

    async def _put(self, message: bytes | None) -> None:
        """Wait for room in the inbox, or for the end of the agent, which then receives nothing more."""
        async with self._order:
            waits = [asyncio.ensure_future(each) for each in (self._inbox.put(message), self._over.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in waits:
                    each.cancel()

    def _stream(self, session: str) -> ServedStream:
        if session not in self._streams:
            self._streams[session] = ServedStream(session)
        return self._streams[session]
