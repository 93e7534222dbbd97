"""Both ends of a connection as bytes in and out: plain, or inside TLS. Nothing here knows HTTP.

TLS runs in memory (`ssl.MemoryBIO`), for two reasons: the agent's first bytes have been read before the
answer is decided, and a provider may be behind a proxy that speaks TLS itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Protocol

#: Most bytes of one read.
READ = 1 << 16


class Stream(Protocol):
    """One end of a connection."""

    async def read(self) -> bytes:
        """Return the next bytes; nothing at the end. Raises OSError."""

    def send(self, data: bytes) -> None:
        """Send bytes, at once if the system takes them."""

    async def drain(self) -> None:
        """Wait until most of what was sent is through. Raises OSError."""

    async def close(self) -> None:
        """End the connection normally. Never raises."""

    def abort(self) -> None:
        """Break the connection off, so that the other side notices it."""


class Plain:
    """A connection without TLS. `early`: bytes of it that were read already."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, early: bytes = b""
    ) -> None:
        self._reader, self._writer = reader, writer
        self._early = early

    async def read(self) -> bytes:
        """See `Stream`."""
        if self._early:
            early, self._early = self._early, b""
            return early
        return await self._reader.read(READ)

    def unread(self, data: bytes) -> None:
        """Put back what was read: the next read returns it again."""
        self._early = data + self._early

    def send(self, data: bytes) -> None:
        """See `Stream`."""
        self._writer.write(data)

    async def drain(self) -> None:
        """See `Stream`."""
        await self._writer.drain()

    async def close(self) -> None:
        """See `Stream`."""
        with contextlib.suppress(OSError):
            self._writer.close()
            await self._writer.wait_closed()

    def abort(self) -> None:
        """See `Stream`."""
        self._writer.transport.abort()


class Tls:
    """TLS on top of another stream; `handshake` comes first.

    `is_cut`: the other side hung up without a closing alert, so its data may not be complete.
    """

    def __init__(self, below: Stream, context: ssl.SSLContext, *, server_name: str | None = None) -> None:
        self._below = below
        self.is_cut = False
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._object = context.wrap_bio(
            self._incoming,
            self._outgoing,
            server_side=server_name is None,
            server_hostname=server_name,
        )

    @property
    def protocol(self) -> str | None:
        """The protocol that both sides have agreed on."""
        return self._object.selected_alpn_protocol()

    async def handshake(self) -> None:
        """Start TLS. Raises OSError: ssl.SSLError if the two sides do not accept each other."""
        while True:
            try:
                self._object.do_handshake()
            except ssl.SSLWantReadError:
                await self._more()
            except ssl.SSLError:
                with contextlib.suppress(OSError):
                    await self._flush()  # the alert with the reason
                raise
            else:
                await self._flush()
                return

    async def read(self) -> bytes:
        """See `Stream`."""
        while True:
            try:
                data = self._object.read(READ)
                if self._incoming.pending:
                    data += self._ready(READ - len(data))
                self._send_outgoing()
            except ssl.SSLWantReadError:
                await self._more()
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLEOFError:  # many peers hang up without a closing alert
                self.is_cut = True
                return b""
            else:
                return data

    def _ready(self, most: int) -> bytes:
        """Return what else is already there: TLS records hold 16 kB, and each read has a fixed cost."""
        parts = []
        with contextlib.suppress(ssl.SSLError):  # no whole record, or the end: the next read reports it
            while most > 0 and self._incoming.pending and (data := self._object.read(most)):
                parts.append(data)
                most -= len(data)
        return b"".join(parts)

    def send(self, data: bytes) -> None:
        """See `Stream`."""
        view = memoryview(data)
        while view:
            view = view[self._object.write(view) :]
        self._send_outgoing()

    async def drain(self) -> None:
        """See `Stream`."""
        await self._below.drain()

    async def close(self) -> None:
        """See `Stream`."""
        with contextlib.suppress(OSError):
            try:
                self._object.unwrap()
            except ssl.SSLError:  # the reply of the other side is not awaited
                pass
            await self._flush()
        await self._below.close()

    async def hang_up(self) -> None:
        """End the connection without the closing alert. Never raises."""
        await self._below.close()

    def abort(self) -> None:
        """See `Stream`."""
        self._below.abort()

    async def _more(self) -> None:
        await self._flush()
        if data := await self._below.read():
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    async def _flush(self) -> None:
        self._send_outgoing()
        await self._below.drain()

    def _send_outgoing(self) -> None:
        if self._outgoing.pending:
            self._below.send(self._outgoing.read())
