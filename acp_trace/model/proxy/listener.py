"""The requests to the proxy: CONNECT for a tunnel, or a request for a plain URL or for a base URL.

In a tunnel, TLS ends on both sides, with the same protocol inside, so bytes are passed unchanged. Any error
in reading them stops the reading, never the traffic.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from acp_trace.gate.crowds import WaitingRoom, places
from acp_trace.gate.peers import End
from acp_trace.gate.requests import Listener, of_target
from acp_trace.model import mistakes
from acp_trace.model.proxy import heads
from acp_trace.model.proxy.admission import NOT_THE_BASE_URL, NOT_THE_PROXYS_LOGIN, Admission
from acp_trace.model.proxy.ca import Authority
from acp_trace.model.proxy.connections import Connection, Connections, Unreachable
from acp_trace.model.proxy.heads import BadRequest
from acp_trace.model.proxy.lone_request import LoneRequest
from acp_trace.model.proxy.settings import Address, Base, ProxySettings
from acp_trace.model.proxy.streams import Plain, Stream, Tls
from acp_trace.model.proxy.traffic import Traffic
from acp_trace.model.proxy.tunnel import client_hello_in, first_bytes, pass_on
from acp_trace.model.wire.client_hello import ClientHello
from acp_trace.model.wire.events import Side

_HANDSHAKE = b"\x16"
#: Connections that may wait without a request: other users of the machine can open any number. An agent may
#: open as many at once as wait to be accepted.
_MOST_WAITING = 1024
_NO_URL = "the request is neither CONNECT nor for an http:// URL"
#: Alerts of an agent that does not trust our certificate: as a rule, it has its own list.
_DISTRUST = ("UNKNOWN_CA", "CERTIFICATE_UNKNOWN", "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE")


class Proxy:
    """Serves the agent's connections. `admission`: of the proxy itself; each base URL has its own."""

    def __init__(
        self,
        settings: ProxySettings,
        authority: Authority,
        upstream: Connections,
        traffic: Traffic,
        admission: Admission,
    ) -> None:
        self._settings, self._authority, self._upstream = settings, authority, upstream
        self._traffic, self._admission = traffic, admission
        self._waiting = WaitingRoom(places(_MOST_WAITING))
        self._has_turned_away = False
        self._not_ours: set[str] = set()  #: hosts for which the agent insists on its own certificates

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection of the agent to its proxy."""
        await self._guarded(reader, writer, None)

    def serve_base(
        self, base: Base, admission: Admission
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]:
        """Return the server of a base URL that the agent was given in place of `base`."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._guarded(reader, writer, (base, admission))

        return serve

    async def _guarded(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        base: tuple[Base, Admission] | None,
    ) -> None:
        agent = Plain(reader, writer)
        ends = writer.get_extra_info("peername")[:2], writer.get_extra_info("sockname")[:2]
        try:
            place = self._waiting.enter(agent.abort)
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            finally:
                self._waiting.leave(place)
            if base is not None:
                await self._base(agent, head, *base, ends)
            elif not await self._admission.admits_login(heads.logins(head), *ends):
                await self._turned_away(agent, NOT_THE_PROXYS_LOGIN)
            elif head.startswith(b"CONNECT "):
                await self._connect(agent, head)
            else:
                await self._plain(agent, head)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            agent.abort()
        except BadRequest as error:
            self._traffic.note(failed=str(error))
            agent.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            await agent.close()
        except Exception as error:  # any error costs only this connection, and is in the trace
            self._traffic.note(failed=mistakes.described(error))
            agent.abort()

    async def _connect(self, agent: Plain, head: bytes) -> None:
        """Serve a tunnel: the agent names a host, then talks to it."""
        host, port = heads.tunnel(head)
        mapped = self._settings.mapped(host, port)
        address = mapped or Address(host, port, is_tls=True)
        try:
            provider = await self._upstream.connect(address, straight=mapped is not None)
        except OSError as error:
            await self._unreachable(agent, host, error)
            return
        agent.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        first = await first_bytes(agent, provider)
        hello = None
        if first.startswith(_HANDSHAKE):
            first, hello = await client_hello_in(agent, first)
        agent.unread(first)
        name = (hello and hello.host) or host
        if hello is None:
            await pass_on(agent, provider, self._traffic.tap(host, provider))
        elif name in self._not_ours and mapped is None:
            await self._unread(agent, provider, host)
        else:
            await self._tls(agent, provider, name, hello, mapped)

    async def _tls(
        self, agent: Plain, plain: Connection, name: str, hello: ClientHello, mapped: Address | None
    ) -> None:
        """Speak TLS on both sides, with the protocol that the provider chooses from the agent's offers."""
        provider: Stream = plain
        protocol = "http/1.1" if "http/1.1" in hello.protocols else None
        try:
            if mapped is None or mapped.is_tls:
                tls = await self._upstream.tls(plain, mapped.host if mapped else name, hello.protocols)
                provider, protocol = tls, tls.protocol
        except OSError as error:
            self._traffic.note(host=name, failed=_why(error))
            agent.abort()
            plain.abort()
            return
        inside = Tls(agent, self._authority.context(name, protocol))
        try:
            await inside.handshake()
        except OSError as error:
            if isinstance(error, ssl.SSLError) and any(word in str(error) for word in _DISTRUST):
                self._not_ours.add(name)
            self._traffic.note(host=name, refused=_why(error))
            agent.abort()
            plain.abort()
            return
        await pass_on(inside, provider, self._traffic.tap(name, provider))

    async def _unread(self, agent: Stream, provider: Stream, host: str) -> None:
        """Pass and count the bytes of a tunnel to a host whose certificate the agent insists on."""
        sizes = {"agent": 0, "provider": 0}

        def count(side: Side, data: bytes) -> None:
            sizes[side] += len(data)

        await pass_on(agent, provider, count)
        self._traffic.note(
            host=host, unread=True, sent_bytes=sizes["agent"], received_bytes=sizes["provider"]
        )

    async def _plain(self, agent: Plain, head: bytes) -> None:
        """Serve a request for a plain URL, without a tunnel."""
        request = LoneRequest(agent, head)
        try:
            url = urlsplit(request.target.decode("latin-1"))
        except ValueError:
            raise BadRequest(_NO_URL) from None
        if url.scheme != "http":
            raise BadRequest(_NO_URL)
        origin = url.netloc.rpartition("@")[2]
        host, port = heads.named(origin, 80)
        address = Address(host, port, is_tls=False)
        target = (url._replace(scheme="", netloc="").geturl() or "/").encode("latin-1")
        await self._pass_on(request, address, self._settings.mapped(host, port), target, origin)

    async def _base(
        self, agent: Plain, head: bytes, base: Base, admission: Admission, ends: tuple[End, End]
    ) -> None:
        """Serve a request for one of our base URLs."""
        try:
            request = LoneRequest(agent, head)
        except BadRequest:
            if await admission.is_ours(*ends):
                raise
            await self._turned_away(agent, NOT_THE_BASE_URL)
            return
        target = await admission.admits_path(request.target, *ends)
        if target is None:
            await self._turned_away(agent, NOT_THE_BASE_URL)
            return
        refused = of_target(request.method, target)
        if target == request.target:
            # Without the word it may come from a web page. The model gets its own name as `Host`, so it could
            # not detect a page that has another name lead here.
            refused = Listener(*ends[1]).refusal(request.method, target, request.raw_headers)
        if refused is not None:
            await self._turned_away(agent, heads.refusal(*refused))
            return
        origin = urlsplit(base.url).netloc.rpartition("@")[2]
        address = base.address
        await self._pass_on(
            request, address, self._settings.mapped(address.host, address.port), target, origin
        )

    async def _pass_on(
        self, request: LoneRequest, address: Address, mapped: Address | None, target: bytes, origin: str
    ) -> None:
        """Send a request to its host, on a separate connection."""
        plain_proxy = None if address.is_tls or mapped else self._upstream.proxy(address)
        login = ""
        try:
            provider: Stream
            if plain_proxy is not None:
                provider, login = await self._upstream.to_proxy(plain_proxy)
                target = f"http://{origin}".encode() + target
            else:
                provider = await self._upstream.connect(mapped or address, straight=mapped is not None)
            if (mapped or address).is_tls:
                provider = await self._upstream.tls(provider, (mapped or address).host, ("http/1.1",))
        except OSError as error:
            await self._unreachable(request, address.host, error)
            return
        request.rewrite(target, origin, login)
        await pass_on(request, provider, self._traffic.tap(address.host, provider))

    async def _turned_away(self, agent: Stream, answer: tuple[bytes, bytes]) -> None:
        """Refuse a program that is not the agent. The trace records it once: strangers must not fill it."""
        head, body = answer
        if not self._has_turned_away:
            self._has_turned_away = True
            self._traffic.note(turned_away=True)
        agent.send(heads.answer(head, body))
        await agent.close()

    async def _unreachable(self, agent: Stream, host: str, error: OSError) -> None:
        self._traffic.note(host=host, failed=_why(error))
        body = f"acp-trace: {host} cannot be reached: {_why(error)}\n".encode()
        agent.send(heads.answer(b"HTTP/1.1 502 Bad Gateway", body))
        await agent.close()


def _why(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, Unreachable):
        return str(error)
    return error.strerror or str(error) or type(error).__name__
