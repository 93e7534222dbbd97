"""A client that connects to the mock over HTTP or WebSocket, with descriptors like one that started it.

So the tee and the player of `mock` are the same for both. A separate thread serves one connection and moves
its messages to one pipe, and lines from the other pipe to it. It logs what it receives and sends, so the
recording has the messages with their streams, and not the lines. When that connection is over, so is the
mock.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future

from acp_trace.record.drain import BLOCK
from acp_trace.replay.drive.waits import Once, Stop, wait_for_one_of
from acp_trace.replay.timeouts import KILLED_S
from acp_trace.trace.encode import Framer
from acp_trace.transport.cors import shared
from acp_trace.transport.endpoint import Endpoint
from acp_trace.transport.served import ServedConnection
from acp_trace.transport.serving import ServerTls, serve
from acp_trace.transport.stream_log import StreamLog

_LINE_ENDS = bytes.maketrans(b"\n", b" ")


class ListeningClient:
    """The one client of a mock. `stdin` and `stdout` are for the mock, which closes them.

    Closes the listener when it is over. The mock calls `ready` as soon as a signal ends it with a verdict:
    only then may the address be announced. Then it waits for the client (`wait`), and gives it a log
    (`begin`), without which no message of the client is passed on. `origins`: those of pages that may
    connect.
    """

    def __init__(
        self,
        listener: socket.socket,
        tls: ServerTls | None,
        ready: Callable[[], None],
        origins: Collection[str] = (),
    ) -> None:
        self.ready = ready
        self.stdin, self._to_mock = os.pipe()
        self._from_mock, self.stdout = os.pipe()
        self._listener, self._tls, self._origins = listener, tls, origins
        self._came = Once()
        self._transport = "http"
        self._is_over = False
        self._log: Future[StreamLog] = Future()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def wait(self, stop: Stop) -> str:
        """Wait until the client has connected; return `http` or `websocket`. `stop` ends the wait."""
        wait_for_one_of(self._came, stop)
        return self._transport

    def begin(self, log: StreamLog) -> None:
        """Pass the client's messages on from now on, after logging them."""
        self._log.set_result(log)

    def finish(self) -> None:
        """End what is left, after the mock has closed its descriptors."""
        if self._is_over:
            return
        self._is_over = True
        with contextlib.suppress(RuntimeError):  # it has ended meanwhile
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(KILLED_S)
        self._came.close()

    def _run(self) -> None:
        # A client may have left requests unfinished: the runner ends their tasks with the loop.
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())
        for fd in (self._to_mock, self._from_mock):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._came.set()  # releases a wait: no client will come

    async def _serve(self) -> None:
        endpoint = Endpoint(self._play, most=1, new_log=self._new_log)
        application = shared(endpoint, self._origins)
        await serve(application, self._listener, self._stop, tls=self._tls, origins=self._origins)
        await endpoint.close()

    async def _new_log(self, transport: str) -> StreamLog:
        self._transport = transport
        self._came.set()
        return await asyncio.shield(asyncio.wrap_future(self._log))

    async def _play(self, connection: ServedConnection) -> None:
        """Serve the connection, until the client has gone and the mock has ended."""
        inwards = asyncio.ensure_future(self._inwards(connection))
        try:
            await self._outwards(connection)
        finally:
            inwards.cancel()
            await asyncio.gather(inwards, return_exceptions=True)
            self._stop.set()

    async def _inwards(self, connection: ServedConnection) -> None:
        try:
            while (data := await connection.receive()) is not None:
                await asyncio.to_thread(self._write, data.translate(_LINE_ENDS) + b"\n")
        finally:
            to_mock, self._to_mock = self._to_mock, -1
            os.close(to_mock)

    async def _outwards(self, connection: ServedConnection) -> None:
        framer = Framer()
        while data := await asyncio.to_thread(os.read, self._from_mock, BLOCK):
            for line in framer.feed(data).split(b"\n")[:-1]:
                connection.send(line)

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._to_mock, data) :]
