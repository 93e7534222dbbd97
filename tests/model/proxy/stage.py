"""A proxy, a provider and an agent in one process, on loopback, each with its own certificates."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from acp_trace.model.exchange import ModelExchanges
from acp_trace.model.proxy import settings
from acp_trace.model.proxy.admission import Admission
from acp_trace.model.proxy.ca import Authority
from acp_trace.model.proxy.listener import Proxy
from acp_trace.model.proxy.settings import ProxySettings
from acp_trace.model.proxy.streams import Plain, Stream, Tls
from acp_trace.model.proxy.traffic import Traffic
from acp_trace.model.proxy.upstream import Upstream
from acp_trace.model.records import Record
from acp_trace.model.secrets import Secrets
from tests.model.writing import file, read

#: What a provider does with one connection.
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Stage:
    """`port` is the provider's, `proxy_port` the proxy's; `records` are what was written so far."""

    def __init__(self, path: Path) -> None:
        self.records: list[Record] = []
        self.authority = Authority.at(str(path / "ours"))
        self.theirs = Authority.at(str(path / "theirs"))
        trusted = path / "theirs.pem"
        trusted.write_bytes(self.theirs.pem)
        self.upstream = Upstream({"NODE_EXTRA_CA_CERTS": str(trusted)})
        self.port = self.proxy_port = self.base_port = 0
        self.proxy: Proxy
        self.traffic: Traffic
        self.admission = Admission()
        self._streams: list[Plain] = []

    @contextlib.asynccontextmanager
    async def playing(
        self,
        serve: Serve,
        *,
        protocol: str | None = "http/1.1",
        plain: bool = False,
        hosts: str = "",
        base: bool = False,
        everything: bool = False,
        trusted: bool = True,
    ) -> AsyncIterator[None]:
        """A provider that serves so, and a proxy. `hosts` may say `PORT` for the provider's.

        `trusted`: whether programs of this test are taken for this user's.
        """
        context = None if plain else self.theirs.context("localhost", protocol)
        provider = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, backlog=1024)
        self.port = provider.sockets[0].getsockname()[1]
        mapped = settings.hosts(hosts.replace("PORT", str(self.port)))
        asked = ProxySettings(0, everything, mapped)
        self.admission = Admission(lambda asked: asked if trusted else ())
        secrets = Secrets({"A_KEY": "sk-secret-0123"})
        self.traffic = Traffic(secrets, self.records.extend, everything=everything)
        self.proxy = Proxy(asked, self.authority, self.upstream, self.traffic, self.admission)
        scheme = "http" if plain else "https"
        based = settings.base(f"{scheme}://localhost:{self.port}/v1")
        serve_agent = self.proxy.serve_base(based, self.admission) if base else self.proxy.serve
        listener = await asyncio.start_server(serve_agent, "127.0.0.1", 0, backlog=1024)
        self.proxy_port = listener.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            for stream in self._streams:
                stream.abort()
            listener.close()
            provider.close()
            if others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others, timeout=30)

    async def connected(self) -> Plain:
        """A connection of the agent's to its proxy."""
        self._streams.append(Plain(*await asyncio.open_connection("127.0.0.1", self.proxy_port)))
        return self._streams[-1]

    async def tunnel(self, host: str = "localhost", port: int = 0) -> tuple[Plain, str]:
        """A tunnel, and what the proxy says to that."""
        stream = await self.connected()
        stream.send(f"CONNECT {host}:{port or self.port or 443} HTTP/1.1\r\n\r\n".encode())
        return stream, (await stream.read()).decode()

    async def secure(
        self, *protocols: str, host: str = "localhost", authority: Authority | None = None
    ) -> Tls:
        """TLS through a tunnel, by an agent that trusts our authority, or another one."""
        stream, answer = await self.tunnel(host)
        assert answer.startswith("HTTP/1.1 200 "), answer
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=(authority or self.authority).pem.decode())
        if protocols:
            context.set_alpn_protocols(protocols)
        tls = Tls(stream, context, server_name=host)
        await tls.handshake()
        return tls

    def seen(self) -> ModelExchanges:
        """What a reader of the trace sees."""
        return read(file(self.records))


async def heard(stream: Stream, size: int | None = None) -> bytes:
    """So many bytes, or all until the end."""
    data = b""
    while (size is None or len(data) < size) and (more := await stream.read()):
        data += more
    return data


async def until(condition: Callable[[], object]) -> None:
    """Lets all others go on until something is so."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110  (no event tells it)
            await asyncio.sleep(0)
