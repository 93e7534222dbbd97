"""What the connections of a listener may take: places, and time of its loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace

import httpx
import pytest
import websockets.asyncio.client

from acp_trace.transport import accepted
from acp_trace.transport.accepted import Accepting
from acp_trace.transport.bodies import RequestAbandoned, body_of
from acp_trace.transport.serving import Receive, Scope, Send
from tests.support import DEADLINE_S
from tests.transport.test_serving import served

_ASKING = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
_UNFINISHED = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"\x16\x03\x01\x02\x00", _UNFINISHED])
def test_silent_connections_keep_nobody_out(monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    """Whoever has waited longest without a whole request has to go; an open WebSocket stays."""
    monkeypatch.setattr(accepted, "_MOST_WAITING", 2)

    async def client(address: str) -> None:
        host, _, port = address.partition(":")
        async with websockets.asyncio.client.connect(f"ws://{address}/") as open_socket:
            silent = [await asyncio.open_connection(host, int(port)) for _ in range(4)]
            for _, writer in silent:
                writer.write(begun)
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(_ASKING)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            for gone, _ in silent[:2]:
                with contextlib.suppress(ConnectionResetError):
                    await gone.read()
            await open_socket.send("still here")
            assert await open_socket.recv() == "still here"
            for each in (writer, *(writer for _, writer in silent)):
                each.close()

    served(client)


def test_a_connection_that_was_answered_waits_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be idle for long, unless others need its place."""
    monkeypatch.setattr(accepted, "_MOST_WAITING", 1)

    async def client(address: str) -> None:
        host, _, port = address.partition(":")
        streams = []
        for _ in range(2):
            reader, writer = await asyncio.open_connection(host, int(port))
            for _ in range(3):
                writer.write(_ASKING)
                assert (await reader.readuntil(b"1.1\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            streams.append((reader, writer))
        with contextlib.suppress(ConnectionResetError):
            await streams[0][0].read()
        for _, writer in streams:
            writer.close()

    served(client)


def test_a_client_that_leaves_takes_its_connection_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is free at once, and not after the ten minutes that a connection may be idle."""
    closed: list[object] = []
    monkeypatch.setattr(Accepting, "_close", lambda _, client: closed.append(client))

    async def client(address: str) -> None:
        host, _, port = address.partition(":")
        for asked in (_ASKING, b"", b"GET / HT"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(asked)
            if asked is _ASKING:
                await reader.readuntil(b"1.1\r\n0\r\n\r\n")
            writer.close()
        while len(closed) < 3:  # noqa: ASYNC110  (no event tells it)
            await asyncio.sleep(0.01)

    served(client)


@contextlib.contextmanager
def _connected() -> Iterator[tuple[Accepting, socket.socket, socket.socket]]:
    listener = socket.create_server(("127.0.0.1", 0))
    with Accepting(listener) as accepting, socket.create_connection(accepting.getsockname()) as client:
        connection, _ = accepting.accept()
        with connection:
            yield accepting, connection, client


@pytest.mark.parametrize("into", [False, True])
def test_what_takes_long_is_read_in_small_pieces(monkeypatch: pytest.MonkeyPatch, *, into: bool) -> None:
    """The time between two reads tells, if there was more to read; with TLS, asyncio reads into a buffer."""
    now = 1.0
    monkeypatch.setattr(accepted, "time", SimpleNamespace(perf_counter=lambda: now))
    with _connected() as (_, connection, client):
        buffer = bytearray(1 << 18)

        def read() -> int:
            return connection.recv_into(buffer) if into else len(connection.recv(1 << 18))

        client.sendall(bytes(1 << 16))
        sizes = []
        for took in (0.0, 0.001, 0.001, 0.001, 0.02):
            now += took
            sizes.append(read())
        assert sizes == [1024, 2048, 4096, 8192, 2048]


def test_a_closed_connection_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither does one that was broken off, nor is it touched when its last request ends."""
    monkeypatch.setattr(accepted, "_MOST_WAITING", 1)
    with _connected() as (accepting, connection, client):
        address = client.getsockname()
        with accepting.answering(address):
            connection.close()
        connection.close()
        with accepting.answering(address), socket.create_connection(accepting.getsockname()) as other:
            another, _ = accepting.accept()
            with another:
                other.sendall(b"x")
                assert another.recv(9) == b"x"
            accepting.break_off()


async def _gathered(_: Scope, receive: Receive, send: Send) -> None:
    """Answers once the body has come."""
    with contextlib.suppress(RequestAbandoned):
        await body_of(receive, 1 << 20)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


_LONG = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n" + 60_000 * b" "


def test_bodies_that_do_not_end_take_no_more_than_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Together: the connection that has sent most goes. Another client is served."""
    monkeypatch.setattr(accepted, "MOST_KEPT", 200_000)

    async def client(address: str) -> None:
        host, _, port = address.partition(":")
        long = [await asyncio.open_connection(host, int(port)) for _ in range(6)]
        for _, writer in long:
            writer.write(_LONG)
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(_ASKING)
        assert (await reader.readline()).startswith(b"HTTP/1.1 200 ")
        gone = [asyncio.ensure_future(gone.read()) for gone, _ in long]
        while sum(each.done() for each in gone) < 4:
            await asyncio.wait([each for each in gone if not each.done()], return_when="FIRST_COMPLETED")
        assert all(each.exception() or not each.result() for each in gone if each.done())
        for each in (writer, *(writer for _, writer in long)):
            each.close()
        await asyncio.gather(*gone, return_exceptions=True)

    served(client, application=_gathered)


def test_messages_that_nobody_reads_take_no_more_than_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A WebSocket of which ten messages wait counts like a body."""
    monkeypatch.setattr(accepted, "MOST_KEPT", 200_000)
    is_over = asyncio.Event()

    async def deaf(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await is_over.wait()

    async def client(address: str) -> None:
        connect = websockets.asyncio.client.connect
        async with connect(f"ws://{address}/") as flood, connect(f"ws://{address}/") as other:
            await other.send(1000 * "x")
            with contextlib.suppress(websockets.ConnectionClosed):
                for _ in range(8):
                    await flood.send(40_000 * "x")
            await flood.wait_closed()
            assert flood.close_code == 1006
            assert other.state is websockets.State.OPEN
            is_over.set()

    served(client, application=deaf)


def test_messages_that_were_dealt_with_take_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long conversation of large messages is not ended."""
    monkeypatch.setattr(accepted, "MOST_KEPT", 200_000)

    async def repeating(_: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})

    async def client(address: str) -> None:
        async with websockets.asyncio.client.connect(f"ws://{address}/") as socket:
            for _ in range(10):
                await socket.send(50_000 * "é")
                assert await socket.recv() == 50_000 * "é"

    served(client, application=repeating)


def test_an_early_answer_ends_no_other_request() -> None:
    """Over HTTP/2, a request is refused before its body has come: the rest is dropped, and others go on."""

    async def refusing(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/long":
            await body_of(receive, 1 << 20)
        await send({"type": "http.response.start", "status": 403, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def client(address: str) -> None:
        refused = asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            yield b"{"
            await refused.wait()
            yield b"}"

        async with httpx.AsyncClient(http1=False, http2=True, timeout=DEADLINE_S) as http:
            long = asyncio.ensure_future(http.post(f"http://{address}/long", content=body()))
            for _ in range(3):
                answer = await http.post(f"http://{address}/", content=100_000 * b"x")
                assert answer.status_code == 403
            refused.set()
            assert (await long).status_code == 403

    served(client, application=refusing)
