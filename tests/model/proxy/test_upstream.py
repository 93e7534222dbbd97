"""Connections to providers through the user's own proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

pytest.importorskip("cryptography")

from acp_trace.model.proxy.connections import Unreachable
from acp_trace.model.proxy.settings import Address
from acp_trace.model.proxy.upstream import Upstream

_FAR = Address("far.example", 443, is_tls=True)


def _through(
    answer: bytes, work: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> list[bytes]:
    """What a proxy of the user's is asked that gives this answer."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.close()

    async def play() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        for name in ("HTTPS_PROXY", "NO_PROXY", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv("https_proxy", f"http://bob:p%40ss@127.0.0.1:{port}")
        monkeypatch.setenv("no_proxy", "near.example")
        await work()
        server.close()

    asyncio.run(play())
    return asked


def test_a_tunnel_through_the_users_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the login that its URL has; what comes behind its answer is the provider's."""

    async def work() -> None:
        stream = await Upstream({"https_proxy": "-"}).connect(_FAR)
        assert await stream.read() == b"hello"
        await stream.close()

    (asked,) = _through(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello", work, monkeypatch)
    assert asked == (
        b"CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\n"
        b"Proxy-Authorization: Basic Ym9iOnBAc3M=\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("answer", "why"),
    [(b"HTTP/1.1 407 Login\r\n\r\n", "says 407 Login"), (b"HTTP/1.1 20", "gives no answer")],
)
def test_a_proxy_that_refuses(answer: bytes, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said what it said."""

    async def work() -> None:
        with pytest.raises(Unreachable, match=why):
            await Upstream({"https_proxy": "-"}).connect(_FAR)

    _through(answer, work, monkeypatch)


def test_hosts_that_go_past_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the user has left out; and other kinds of proxies are not known."""

    async def work() -> None:
        upstream = Upstream({"https_proxy": "-"})
        assert upstream.proxy(Address("near.example", 443, is_tls=True)) is None
        assert upstream.proxy(Address("far.example", 80, is_tls=False)) is None
        with pytest.raises(Unreachable, match="socks5 is not supported"):
            await upstream.to_proxy("socks5://h:1")

    _through(b"", work, monkeypatch)
