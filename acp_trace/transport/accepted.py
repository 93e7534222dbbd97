"""The connections that a listener has accepted: which are waiting, and how much each may send.

hypercorn handles everything that it has read of a connection before it looks at another, and keeps a silent
connection as long as an idle one. It does not count what it keeps. It has no settings for any of this, so the
sockets that asyncio gets from `accept` apply the rules: `gate.crowds`, `gate.shares` and
`gate.rooms`.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

from acp_trace.gate.crowds import WaitingRoom, places
from acp_trace.gate.rooms import Room, RoomPlace
from acp_trace.gate.shares import Share
from acp_trace.transport.limits import MOST_KEPT

#: Connections that may wait without a complete request.
_MOST_WAITING = 512
#: Bytes of one read from a connection, as in hypercorn.
_READ = 1 << 16

#: Host and port of a client.
_Client = tuple[str, int]


class Accepting(socket.socket):
    """A listener that tracks its accepted connections. Takes over the descriptor of `listener`."""

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(fileno=listener.detach())
        self._waiting = WaitingRoom(places(_MOST_WAITING))
        self._room = Room(MOST_KEPT)
        self._accepted: dict[_Client, _Accepted] = {}

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection, as any socket does."""
        plain, address = super().accept()
        client: _Client = address[:2]
        connection = _Accepted(plain.detach(), lambda: self._close(client))
        self._accepted[client] = connection
        self._wait(connection)
        return connection, address

    @contextlib.contextmanager
    def answering(self, client: _Client) -> Iterator[None]:
        """Count a client's connection as not waiting while its complete request is answered."""
        connection = self._accepted.get(client)
        if connection is None:  # closed already
            yield
            return
        connection.requests += 1
        self._waiting.leave(connection.place)
        try:
            yield
        finally:
            connection.requests -= 1
            if not connection.requests and self._accepted.get(client) is connection:
                self._wait(connection)

    @contextlib.contextmanager
    def keeping(self, client: _Client) -> Iterator[RoomPlace]:
        """Yield the place of a request's bytes while it is kept. If there is no room, the largest ends."""
        connection = self._accepted.get(client)
        place = self._room.enter(_nothing if connection is None else connection.break_off)
        try:
            yield place
        finally:
            place.leave()

    def break_off(self) -> None:
        """End open connections, even with unsent data: hypercorn would wait for that without limit."""
        for connection in list(self._accepted.values()):
            connection.break_off()

    def _wait(self, connection: _Accepted) -> None:
        connection.place = self._waiting.enter(connection.break_off)

    def _close(self, client: _Client) -> None:
        self._waiting.leave(self._accepted.pop(client).place)


def _nothing() -> None:
    """Do nothing, because the connection is closed already."""


def end_with_clients() -> None:
    """Make hypercorn close a connection as soon as its client has, not after its idle time.

    Otherwise, each client that came and left would keep an open file.
    """
    from hypercorn.asyncio import run
    from hypercorn.asyncio.tcp_server import TCPServer

    class _Leaving(TCPServer):
        async def _read_data(self) -> None:
            try:
                await super()._read_data()
            finally:
                await self.idle_task.stop()

    run.TCPServer = _Leaving  # type: ignore[attr-defined]


def let_answers_be_early() -> None:
    """Make hypercorn drop the rest of an HTTP/2 request that is answered already.

    Otherwise it raises a KeyError, which ends all other requests of the connection too.
    """
    from hypercorn import protocol
    from hypercorn.protocol.h2 import H2Protocol

    class _Patient(H2Protocol):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.streams = _Streams()

    protocol.H2Protocol = _Patient  # type: ignore[assignment,attr-defined]


class _Streams(dict[int, Any]):
    """Streams by their numbers. A stream that has ended accepts all events, and does nothing."""

    def __missing__(self, _: int) -> _Ended:
        return _Ended()


class _Ended:
    async def handle(self, _: object) -> None:
        """Do nothing, because the stream has ended."""


class _Accepted(socket.socket):
    """A connection. `closed` is called when it closes."""

    def __init__(self, fd: int, closed: Callable[[], None]) -> None:
        super().__init__(fileno=fd)
        self.place: object = None
        self.requests = 0  #: requests being answered
        self._then: Callable[[], None] | None = closed
        self._share = Share(_READ)
        self._since = 0.0  #: end of the last read if that left more to read; else 0

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Receive as any socket, but at most the share of this connection."""
        data = super().recv(min(size, self._limit()), flags)
        self._note(len(data))
        return data

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        """Receive as any socket, but at most the share of this connection. asyncio uses it with TLS."""
        most = min(size or len(buffer), self._limit())
        read = super().recv_into(buffer, most, flags)
        self._note(read)
        return read

    def close(self) -> None:
        """Close it, as any socket."""
        then, self._then = self._then, None
        if then is not None:
            then()
        super().close()

    def break_off(self) -> None:
        """Break the connection off."""
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def _limit(self) -> int:
        """Return the size of the next read; if the last one left data, its time counts for the share."""
        if self._since:
            self._share.took(time.perf_counter() - self._since)
        return self._share.size

    def _note(self, read: int) -> None:
        self._since = time.perf_counter() if read >= self._share.size else 0.0
