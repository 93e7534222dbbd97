"""An application behind a socket: HTTP/1.1, HTTP/2 and WebSocket, and an end on time."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import websockets.asyncio.client

from acp_trace.transport import plain_sockets, serving
from acp_trace.transport.address import ListenAddress
from acp_trace.transport.serving import Application, Receive, Scope, Send, bound, serve
from tests.support import DEADLINE_S


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the version of HTTP; a WebSocket with what came."""
    message = await receive()
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        message = await receive()
        await send({"type": "websocket.send", "text": message["text"]})
        await receive()
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["http_version"].encode()})


async def nothing() -> None:
    """Nothing is left to look at."""


def served(
    client: Callable[[str], Awaitable[object]],
    afterwards: Callable[[], Awaitable[None]] = nothing,
    application: Application = echo,
) -> None:
    """Runs a client against the application, then stops that, then looks at what is left."""

    async def run() -> None:
        listener, stop = bound(ListenAddress("127.0.0.1", 0)), asyncio.Event()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        serving = asyncio.create_task(serve(application, listener, stop))
        try:
            await client(address)
        finally:
            stop.set()
            await serving
        await afterwards()

    asyncio.run(asyncio.wait_for(run(), 30))


def test_many_files_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each connection is an open file: before a server serves, it raises its limit."""
    raised: list[bool] = []
    monkeypatch.setattr(serving, "allow_many_files", lambda: raised.append(True))

    async def client(_: str) -> None:
        await asyncio.sleep(0)
        assert raised == [True]

    served(client)


def test_both_versions_of_http() -> None:
    """Without TLS, HTTP/2 is spoken to a client that begins with it."""

    async def client(address: str) -> None:
        for number, version in ((1, "1.1"), (2, "2")):
            async with httpx.AsyncClient(http1=number == 1, http2=number == 2, timeout=DEADLINE_S) as http:
                answer = await http.get(f"http://{address}/")
            assert (answer.text, answer.http_version) == (version, f"HTTP/{version}")

    served(client)


def test_a_websocket_with_a_large_message() -> None:
    """Larger than the server's own limit, 16 MB."""

    async def client(address: str) -> None:
        async with websockets.asyncio.client.connect(
            f"ws://{address}/", max_size=None, compression=None
        ) as socket:
            await socket.send("é" * 9_000_000)
            assert await socket.recv() == "é" * 9_000_000

    served(client)


def test_a_client_that_stays_does_not_keep_it() -> None:
    """A connection that is open when it is told to stop is ended."""
    left: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def client(address: str) -> None:
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert await reader.readuntil(b"1.1") is not None
        left.append((reader, writer))

    async def afterwards() -> None:
        for reader, writer in left:
            await reader.read()  # to its end
            writer.close()

    served(client, afterwards)


def test_a_websocket_is_not_compressed() -> None:
    """A few bytes would stand for gigabytes: what a client offers is left unanswered, and it goes on without."""

    async def client(address: str) -> None:
        async with websockets.asyncio.client.connect(f"ws://{address}/") as socket:
            assert socket.request is not None
            assert socket.response is not None
            assert "permessage-deflate" in socket.request.headers["Sec-WebSocket-Extensions"]
            assert "Sec-WebSocket-Extensions" not in socket.response.headers
            await socket.send("hello")
            assert await socket.recv() == "hello"

    served(client)


@pytest.mark.parametrize("frames", [1, 5])
def test_a_message_beyond_the_limit_ends_its_websocket(monkeypatch: pytest.MonkeyPatch, frames: int) -> None:
    """With 1009, whether it comes in one frame or in several; bytes count, not characters. Others go on."""
    monkeypatch.setattr(plain_sockets, "MOST_BYTES", 100_000)

    async def client(address: str) -> None:
        connect = websockets.asyncio.client.connect
        async with connect(f"ws://{address}/") as socket, connect(f"ws://{address}/") as other:
            part = "é" * (60_000 // frames)
            with contextlib.suppress(websockets.ConnectionClosed):
                await socket.send([part] * frames)
                await socket.recv()
            await socket.wait_closed()
            assert socket.close_code == 1009
            await other.send("é" * 50_000)
            assert await other.recv() == "é" * 50_000

    served(client)


def _message(text: str | None, data: bytes | None, size: int) -> dict[str, Any]:
    return {"type": "websocket.receive", "text": text, "bytes": data, plain_sockets.SIZE: size}


def _uncounted(_: int) -> None:
    """The room of a listener that has enough."""


def test_fragments_of_nothing_take_no_memory() -> None:
    """They may come without end, and none of them counts towards the limit of a message."""
    buffer = plain_sockets._Buffer(None, RuntimeError, _uncounted)
    for text in (*["", "é"] * 50_000, "."):
        buffer.extend(SimpleNamespace(data=text))
    assert sys.getsizeof(buffer._data) < 300_000
    assert buffer.to_message() == _message("é" * 50_000 + ".", None, 100_001)
    buffer.clear()
    buffer.extend(SimpleNamespace(data=bytearray(b"\xff")))
    assert buffer.to_message() == _message(None, b"\xff", 1)


def test_nothing_is_served_that_cannot_be_limited() -> None:
    """Another version of hypercorn may call the application in another way."""

    async def send(_: object) -> None:
        """A function, and not the stream's."""

    with pytest.raises(plain_sockets.UnlimitedSocket):
        plain_sockets.limit(send, _uncounted)


@pytest.mark.parametrize("is_told_to_end", [True, False])
def test_what_a_client_did_to_its_own_connection(
    monkeypatch: pytest.MonkeyPatch, *, is_told_to_end: bool
) -> None:
    """Hypercorn raises that when it ends, and nobody is to see a traceback. Before that, it is no client's fault."""

    async def broken(_: object, config: Any, shutdown_trigger: Callable[[], Awaitable[None]]) -> None:
        config.create_sockets().insecure_sockets[0].close()
        if is_told_to_end:
            await shutdown_trigger()
        raise RuntimeError

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError

    async def story() -> None:
        stop, listener = asyncio.Event(), bound(ListenAddress("127.0.0.1", 0))
        if is_told_to_end:
            stop.set()
        with contextlib.nullcontext() if is_told_to_end else pytest.raises(RuntimeError):
            await serve(application, listener, stop)

    monkeypatch.setattr("hypercorn.asyncio.serve", broken)
    asyncio.run(story())
