"""A WebSocket through the proxy: each message as it is, and the close of either side."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from acp_trace.record.network import upstream
from acp_trace.transport import plain_sockets
from acp_trace.transport.serving import Receive, Scope, Send
from tests.record.network.loopback import (
    INITIALIZE,
    INITIALIZED,
    entries,
    facts,
    footer,
    header,
    messages,
    recorded,
)
from tests.support import analyzed


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Gives back what it is sent, until it is sent `close`."""
    await receive()
    named = [(b"acp-connection-id", b"c"), (b"set-cookie", b"node=COOKIE-OF-AGENT")]
    await send({"type": "websocket.accept", "headers": named, "subprotocol": None})
    while (message := await receive())["type"] == "websocket.receive":
        if message.get("text") == "close":
            await send({"type": "websocket.close", "code": 4001, "reason": "enough"})
            return
        text = INITIALIZED.decode() if message.get("text") == INITIALIZE.decode() else message.get("text")
        await send({"type": "websocket.send", "text": text, "bytes": message.get("bytes")})


def _to(address: str, **more: object) -> connect:
    return connect(f"ws://{address}/acp", proxy=None, max_size=None, **more)  # type: ignore[arg-type]


def test_messages_of_both_kinds_pass_and_are_kept(tmp_path: Path) -> None:
    """Text with newlines and without JSON, bytes that are no UTF-8, and one of 3 MB."""
    large = '{"large":"' + "é" * 1_500_000 + '"}'
    sent: list[str | bytes] = [INITIALIZE.decode(), '{"a":\n[1]}\n', "no JSON\r\n", b"\xff\x00\n", "", large]

    async def client(address: str) -> None:
        async with _to(address) as socket:
            assert socket.response is not None
            assert socket.response.headers["acp-connection-id"] == "c"
            assert socket.response.headers["set-cookie"] == "node=COOKIE-OF-AGENT"
            for number, message in enumerate(sent):
                await socket.send(message)
                assert await socket.recv() == (message if number else INITIALIZED.decode())

    lines = recorded(tmp_path, echo, client).trace()
    raw = [message.encode() if isinstance(message, str) else message for message in sent]
    assert messages(lines, "client") == raw
    assert messages(lines, "agent") == [INITIALIZED, *raw[1:]]
    assert {entry.stream for entry in entries(lines) if entry.sender} == {1}
    assert [response["status"] for response in facts(lines, "response")] == [101]
    assert facts(lines, "end") == [{"by": "client"}]
    assert footer(lines)["client_left"] is True
    found, _ = analyzed(lines)
    assert (found.trace.complete, found.trace.protocol_version) == (True, 1)
    assert b"COOKIE-OF" not in lines


@pytest.mark.parametrize(
    ("upstream", "headers", "sent"),
    [
        ("http://me:s%20cret@AGENT", [], "Basic bWU6cyBjcmV0"),
        ("http://AGENT", ["Authorization: Bearer SECRET"], "Bearer SECRET"),
    ],
)
def test_what_the_proxy_adds(tmp_path: Path, upstream: str, headers: list[str], sent: str) -> None:
    """The password of the URL, and headers that were given, as to a request; no file has them."""
    seen: list[str] = []

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(header(scope, b"authorization"))
        await echo(scope, receive, send)

    async def client(address: str) -> None:
        async with _to(address) as socket:
            await socket.send("{}")
            assert await socket.recv() == "{}"
        async with _to(address, additional_headers={"Authorization": "own"}) as socket:
            await socket.send("{}")
            assert await socket.recv() == "{}"

    recorded(tmp_path, agent, client, upstream=upstream, header=headers)
    assert seen == [sent, "own"]
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert sent.rsplit(maxsplit=1)[-1].encode() not in written


def test_a_web_page_opens_no_socket(tmp_path: Path) -> None:
    """One of another origin is refused, also if the proxy has a key for the agent; one that is allowed is not."""
    asked: list[str] = []

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        own = f"http://{header(scope, b'host')}"
        asked.append(header(scope, b"origin").replace(own, "the agent's own"))
        await echo(scope, receive, send)

    async def client(address: str) -> None:
        for origin in ("https://evil.example", "null", f"https://{address}", "http://localhost:1"):
            with pytest.raises(websockets.InvalidStatus) as refused:
                await _to(address, origin=origin)
            assert refused.value.response.status_code == 403
        for origin in ("https://app.example", f"http://{address}"):
            async with _to(address, origin=origin) as socket:
                await socket.send("x")
                assert await socket.recv() == "x"

    key = ["Authorization: Bearer SECRET"]
    kept = recorded(tmp_path, agent, client, header=key, origins=["https://app.example"])
    assert len(kept.traces()) == 2
    assert asked == ["https://app.example", "the agent's own"]


def test_a_close_of_the_agent_reaches_the_client(tmp_path: Path) -> None:
    """With its code and reason."""

    async def client(address: str) -> None:
        async with _to(address) as socket:
            await socket.send("close")
            with pytest.raises(websockets.ConnectionClosed):
                await socket.recv()
            assert (socket.close_code, socket.close_reason) == (4001, "enough")

    lines = recorded(tmp_path, echo, client).trace()
    assert facts(lines, "end") == [{"by": "agent", "code": 4001}]
    assert "client_left" not in footer(lines)


def test_an_agent_that_refuses(tmp_path: Path) -> None:
    """The client sees what it would see without the proxy; secrets in a handshake are nowhere."""
    seen: list[str] = []

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend([header(scope, b"authorization"), *scope["subprotocols"]])
        await receive()
        raw = [(b"content-type", b"text/plain"), (b"content-length", b"4")]
        await send({"type": "websocket.http.response.start", "status": 403, "headers": raw})
        await send({"type": "websocket.http.response.body", "body": b"nono"})

    async def client(address: str) -> None:
        secret = {"Authorization": "Bearer SECRET-TOKEN"}
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with _to(address, additional_headers=secret, subprotocols=["SECRET-PROTOCOL"]):
                pass
        assert (refused.value.response.status_code, refused.value.response.body) == (403, b"nono")

    lines = recorded(tmp_path, agent, client).trace()
    assert seen == ["Bearer SECRET-TOKEN", "SECRET-PROTOCOL"]
    assert [response["status"] for response in facts(lines, "response")] == [403]
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"SECRET" not in written


def test_an_agent_that_is_not_there(tmp_path: Path) -> None:
    """502, before there is a WebSocket; the trace has the reason."""

    async def client(address: str) -> None:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with _to(address):
                pass
        assert refused.value.response.status_code == 502

    lines = recorded(tmp_path, None, client, upstream="ws://127.0.0.1:1").trace()
    (end,) = facts(lines, "end")
    assert footer(lines)["error"] == end["failed"]


def test_a_proxy_that_is_told_to_end(tmp_path: Path) -> None:
    """The trace of a WebSocket that is open is complete, and the client is told."""
    left: list[ClientConnection] = []

    async def client(address: str) -> None:
        socket = await _to(address)
        await socket.send(INITIALIZE.decode())
        await socket.recv()
        left.append(socket)

    async def until_closed(address: str) -> None:
        await client(address)
        waiting.append(asyncio.ensure_future(left[0].wait_closed()))

    waiting: list[asyncio.Future[None]] = []
    lines = recorded(tmp_path, echo, until_closed).trace()
    assert messages(lines, "client") == [INITIALIZE]
    assert footer(lines)["frames"] == {"client": 1, "agent": 1}


@pytest.mark.parametrize("by", ["client", "agent"])
def test_a_message_that_is_too_long_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Whoever sends it: both sides are told with 1009, and the trace says why it ends."""
    for module in (plain_sockets, upstream):
        monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    codes: list[int | None] = []

    async def agent(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
        await send({"type": "websocket.send", "text": "x" * (200_000 if by == "agent" else 1)})
        await receive()

    async def client(address: str) -> None:
        async with _to(address) as socket:
            await socket.send(INITIALIZE.decode())
            with contextlib.suppress(websockets.ConnectionClosed):
                await socket.recv()
                await socket.send("y" * 200_000)
                await socket.recv()
            await socket.wait_closed()
            codes.append(socket.close_code)

    lines = recorded(tmp_path, agent, client).trace()
    assert codes == [1009]
    assert facts(lines, "unread") == [f"a message of more than {256 << 20} bytes"]
    assert facts(lines, "end") == [{"by": by, "code": 1009}]
    assert len(lines) < 5000
