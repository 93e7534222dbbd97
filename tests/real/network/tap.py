"""A tap between two programs: passes bytes on as they come, and keeps them. Knows no HTTP.

With TLS it is a stranger in the middle: it has a certificate of its own for this side, trusts that of the
other side, offers the same protocols to both, and keeps what is inside.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

_READ = 1 << 16
_PROTOCOLS = ["h2", "http/1.1"]
_JOIN_S = 10


@dataclass(slots=True)
class Connection:
    """What passed on one connection of TCP, each way. `protocol`: what TLS agreed on, or empty."""

    sent: bytearray = field(default_factory=bytearray)  #: by the client
    received: bytearray = field(default_factory=bytearray)  #: by the client
    protocol: str = ""


@dataclass(frozen=True, slots=True)
class TapTls:
    """Files in PEM: the certificate and key for whoever connects, and the authority to trust."""

    certificate: str
    key: str
    authority: str

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def client(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.authority)


class Tap:
    """Listens on the loopback for one program, and connects to `port` there; a context manager.

    `namesake`: at the same port of the other loopback address, for a server that knows its own names only.
    """

    def __init__(self, port: int, tls: TapTls | None = None, *, namesake: bool = False) -> None:
        self._to, self._tls = port, tls
        self._at = ("::1", port) if namesake else ("127.0.0.1", 0)
        self.address = ""  #: HOST:PORT
        self.connections: list[Connection] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_JOIN_S)

    def _run(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        tasks: set[asyncio.Task[None]] = set()

        async def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await self._relay(reader, writer)
            tasks.discard(task)

        context = None if self._tls is None else self._tls.server()
        if context is not None:
            context.set_alpn_protocols(_PROTOCOLS)
        host, port = self._at
        server = await asyncio.start_server(taken, host, port, ssl=context)
        shown = f"[{host}]" if ":" in host else host
        self.address = f"{shown}:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection()
        self.connections.append(connection)
        context = None
        if self._tls is not None:
            context = self._tls.client()
            connection.protocol = writer.get_extra_info("ssl_object").selected_alpn_protocol() or ""
            context.set_alpn_protocols([connection.protocol] if connection.protocol else [])
        try:
            far, away = await asyncio.open_connection("127.0.0.1", self._to, ssl=context)
        except OSError:
            writer.close()
            return
        directions = [
            asyncio.ensure_future(_pass_on(reader, away, connection.sent)),
            asyncio.ensure_future(_pass_on(far, writer, connection.received)),
        ]
        try:
            # An end of one side is passed on as such; where there is TLS, it ends both.
            await asyncio.wait(
                directions, return_when=asyncio.FIRST_COMPLETED if context else asyncio.ALL_COMPLETED
            )
        finally:
            for each in directions:
                each.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            for each_writer in (writer, away):
                each_writer.close()
            for each_writer in (writer, away):
                with contextlib.suppress(OSError, asyncio.CancelledError):
                    await each_writer.wait_closed()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(_READ):
            kept += data
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
