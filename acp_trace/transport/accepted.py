"""The connections that a listener has accepted: which of them wait, and how much each may send.

hypercorn handles all that it has read of a connection before it looks at another one, and keeps a connection
that sends nothing for as long as an idle one. It counts nothing of what it keeps. It has no settings against
any of this, so the sockets that asyncio gets from `accept` know the rules: `gate.crowds`, `gate.shares` and
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

#: Connections that may wait without a whole request.
_MOST_WAITING = 512
#: Bytes that are read of a connection at once: what hypercorn takes.
_READ = 1 << 16

#: Host and port of a client.
_Client = tuple[str, int]


class Accepting(socket.socket):
    """A listener that knows the connections it has accepted. Takes over the descriptor of `listener`."""

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(fileno=listener.detach())
        self._waiting = WaitingRoom(places(_MOST_WAITING))
        self._room = Room(MOST_KEPT)
        self._accepted: dict[_Client, _Accepted] = {}

    def accept(self) -> tuple[socket.socket, Any]:
        """As of any socket."""
        plain, address = super().accept()
        client: _Client = address[:2]
        connection = _Accepted(plain.detach(), lambda: self._close(client))
        self._accepted[client] = connection
        self._wait(connection)
        return connection, address

    @contextlib.contextmanager
    def answering(self, client: _Client) -> Iterator[None]:
        """While a whole request of a client is answered, its connection does not wait."""
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
        """While a request of a client is kept: the place of its bytes. Without room, the largest ends."""
        connection = self._accepted.get(client)
        place = self._room.enter(_nothing if connection is None else connection.break_off)
        try:
            yield place
        finally:
            place.leave()

    def break_off(self) -> None:
        """Ends those that are open, whatever waits to be sent: hypercorn would wait for it without limit."""
        for connection in list(self._accepted.values()):
            connection.break_off()

    def _wait(self, connection: _Accepted) -> None:
        connection.place = self._waiting.enter(connection.break_off)

    def _close(self, client: _Client) -> None:
        self._waiting.leave(self._accepted.pop(client).place)


def _nothing() -> None:
    """The connection is closed already."""


def end_with_clients() -> None:
    """Has hypercorn close a connection as soon as its client has, and not when its idle time is over.

    Until then, each client that came and left would hold an open file.
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
    """Has hypercorn drop what still comes of a request of HTTP/2 that is answered already.

    It would end in a KeyError, and so would all other requests of the connection.
    """
    from hypercorn import protocol
    from hypercorn.protocol.h2 import H2Protocol

    class _Patient(H2Protocol):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.streams = _Streams()

    protocol.H2Protocol = _Patient  # type: ignore[assignment,attr-defined]


class _Streams(dict[int, Any]):
    """Streams by their numbers. One that has ended takes all, and does nothing."""

    def __missing__(self, _: int) -> _Ended:
        return _Ended()


class _Ended:
    async def handle(self, _: object) -> None:
        """Nothing listens any more."""


class _Accepted(socket.socket):
    """A connection. `closed` is called when it is closed."""

    def __init__(self, fd: int, closed: Callable[[], None]) -> None:
        super().__init__(fileno=fd)
        self.place: object = None
        self.requests = 0  #: that are being answered
        self._then: Callable[[], None] | None = closed
        self._share = Share(_READ)
        self._since = 0.0  #: when the last read ended that left more to read; 0: none has

    def recv(self, size: int, flags: int = 0) -> bytes:
        """As of any socket, but not more than the share of this connection."""
        data = super().recv(min(size, self._limit()), flags)
        self._note(len(data))
        return data

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        """As of any socket, but not more than the share of this connection. asyncio does so with TLS."""
        most = min(size or len(buffer), self._limit())
        read = super().recv_into(buffer, most, flags)
        self._note(read)
        return read

    def close(self) -> None:
        """As of any socket."""
        then, self._then = self._then, None
        if then is not None:
            then()
        super().close()

    def break_off(self) -> None:
        """Ends the connection in no order."""
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def _limit(self) -> int:
        """If the last read left more to read, the time since then is what its bytes took."""
        if self._since:
            self._share.took(time.perf_counter() - self._since)
        return self._share.size

    def _note(self, read: int) -> None:
        self._since = time.perf_counter() if read >= self._share.size else 0.0
