"""What an agent may say to its proxy: CONNECT for a tunnel, or a request for a plain URL, or for a base URL.

Inside of a tunnel, TLS is ended on both sides, with the same protocol inside, so bytes can be passed as they
are. Whatever goes wrong in reading costs the reading, never the traffic.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from acp_trace.model import mistakes
from acp_trace.model.journal import Journal
from acp_trace.model.proxy.ca import Authority
from acp_trace.model.proxy.connections import Connection, Connections, Numbered, Unreachable
from acp_trace.model.proxy.settings import Address, Base, ProxySettings
from acp_trace.model.proxy.streams import Plain, Stream, Tls
from acp_trace.model.proxy.tunnel import Heard, pass_on
from acp_trace.model.records import Numbers, Record
from acp_trace.model.secrets import Secrets
from acp_trace.model.wire import client_hello
from acp_trace.model.wire.client_hello import ClientHello, NotTls
from acp_trace.model.wire.events import RequestHead, Side
from acp_trace.model.wire.tap import Tap
from acp_trace.trace.capture_layout import MODEL_HEAD
from acp_trace.trace.jsontext import text

_LONGEST_HEAD = 1 << 18
_HANDSHAKE = b"\x16"
_READ = 1 << 16
#: Headers between an agent and its proxy alone.
_HOP = {b"proxy-connection", b"proxy-authorization", b"keep-alive"}
#: What an agent says that does not trust our certificates: it has some of its own, as a rule.
_DISTRUST = ("UNKNOWN_CA", "CERTIFICATE_UNKNOWN", "BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE")


class Proxy:
    """Serves the agent's connections. `send` takes the records, and never raises."""

    def __init__(
        self,
        settings: ProxySettings,
        authority: Authority,
        upstream: Connections,
        secrets: Secrets,
        send: Callable[[Iterable[Record]], None],
    ) -> None:
        self.journal = Journal(secrets, everything=settings.everything)
        self._settings, self._authority, self._upstream = settings, authority, upstream
        self._secrets, self._send = secrets, send
        self._numbers = Numbers()
        self._not_ours: set[str] = set()  #: hosts whose certificates the agent knows better

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A connection of the agent's to its proxy."""
        await self._guarded(reader, writer, None)

    def serve_base(self, base: Base) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]:
        """What serves connections to a base URL that the agent was given in place of `base`."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._guarded(reader, writer, base)

        return serve

    async def _guarded(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, base: Base | None
    ) -> None:
        agent = Plain(reader, writer)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"CONNECT ") and base is None:
                await self._connect(agent, head)
            else:
                await self._request(agent, head, base)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            agent.abort()
        except ValueError:
            agent.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            await agent.close()

    async def _connect(self, agent: Plain, head: bytes) -> None:
        """A tunnel: the agent says whom it wants, then speaks with that host."""
        host, port = _authority(head.split(b" ", 2)[1].decode("latin-1"), 443)
        mapped = self._settings.mapped(host, port)
        address = mapped or Address(host, port, is_tls=True)
        try:
            provider = await self._upstream.connect(address, straight=mapped is not None)
        except OSError as error:
            await self._unreachable(agent, host, error)
            return
        agent.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        first = await _first_bytes(agent, provider)
        hello = None
        if first.startswith(_HANDSHAKE):
            first, hello = await _hello(agent, first)
        agent.unread(first)
        name = (hello and hello.host) or host
        if hello is None:
            await pass_on(agent, provider, self._tap(host, provider))
        elif name in self._not_ours and mapped is None:
            await self._unread(agent, provider, host)
        else:
            await self._tls(agent, provider, name, hello, mapped)

    async def _tls(
        self, agent: Plain, plain: Connection, name: str, hello: ClientHello, mapped: Address | None
    ) -> None:
        """TLS on both sides, with the protocol inside that the provider chooses of those the agent offers."""
        provider: Stream = plain
        protocol = "http/1.1" if "http/1.1" in hello.protocols else None
        try:
            if mapped is None or mapped.is_tls:
                tls = await self._upstream.tls(plain, mapped.host if mapped else name, hello.protocols)
                provider, protocol = tls, tls.protocol
        except OSError as error:
            self._note(host=name, failed=_why(error))
            agent.abort()
            plain.abort()
            return
        inside = Tls(agent, self._authority.context(name, protocol))
        try:
            await inside.handshake()
        except OSError as error:
            if isinstance(error, ssl.SSLError) and any(word in str(error) for word in _DISTRUST):
                self._not_ours.add(name)
            self._note(host=name, refused=_why(error))
            agent.abort()
            plain.abort()
            return
        await pass_on(inside, provider, self._tap(name, provider))

    async def _unread(self, agent: Stream, provider: Stream, host: str) -> None:
        """A tunnel to a host whose certificates the agent insists on: its bytes pass, and are counted."""
        sizes = {"agent": 0, "provider": 0}

        def count(side: Side, data: bytes) -> None:
            sizes[side] += len(data)

        await pass_on(agent, provider, count)
        self._note(host=host, unread=True, sent_bytes=sizes["agent"], received_bytes=sizes["provider"])

    async def _request(self, agent: Plain, head: bytes, base: Base | None) -> None:
        """A request without a tunnel: it is sent on as to the host itself, one on each connection."""
        line, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
        method, target, version = line.split(b" ")
        if base is None:
            url = urlsplit(target.decode("latin-1"))
            if url.scheme != "http" or not url.hostname:
                raise ValueError
            address, origin = (
                Address(url.hostname, url.port or 80, is_tls=False),
                url.netloc.rpartition("@")[2],
            )
            mapped = self._settings.mapped(address.host, address.port)
            target = (url._replace(scheme="", netloc="").geturl() or "/").encode("latin-1")
        else:
            address, mapped = base.address, None
            origin = urlsplit(base.url).netloc.rpartition("@")[2]
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
            await self._unreachable(agent, address.host, error)
            return
        first = b" ".join([method, target, version])
        agent.unread(b"\r\n".join([first, *_sent_on(lines, origin, login), b"", b""]))
        await pass_on(agent, provider, self._tap(address.host, provider))

    def _tap(self, host: str, provider: Stream) -> Heard:
        """What reads a connection beside the traffic."""
        numbered = provider if isinstance(provider, Numbered) else None
        tap = Tap(host, self._numbers)
        is_told = False

        def records(side: Side, data: bytes) -> Iterator[Record]:
            try:
                for event in tap.feed(side, data):
                    if numbered is not None and isinstance(event, RequestHead):
                        numbered.exchange = event.exchange
                    yield from self.journal.take(event)
            except Exception as error:  # whatever it is: the traffic goes on
                tap.unreadable = mistakes.told(error)

        def heard(side: Side, data: bytes) -> None:
            nonlocal is_told
            if is_told:
                return
            self._send(records(side, data))  # in one go: all of one read has the same time
            if tap.unreadable is not None:
                is_told = True
                self._note(host=host, unreadable=tap.unreadable)

        return heard

    async def _unreachable(self, agent: Stream, host: str, error: OSError) -> None:
        self._note(host=host, failed=_why(error))
        body = f"acp-trace: {host} cannot be reached: {_why(error)}\n".encode()
        agent.send(
            b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain\r\nConnection: close\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        )
        await agent.close()

    def _note(self, **words: Any) -> None:
        """Something to be told that is about no exchange."""
        told = {
            key: self._secrets.text(word) if isinstance(word, str) else word for key, word in words.items()
        }
        self._send([Record(MODEL_HEAD, 0, text({"connection": told}))])


async def _first_bytes(agent: Plain, provider: Connection) -> bytes:
    """The agent's first bytes; nothing if the provider speaks first, as no model does."""
    ours, theirs = asyncio.ensure_future(agent.read()), asyncio.ensure_future(provider.read())
    try:
        await asyncio.wait([ours, theirs], return_when=asyncio.FIRST_COMPLETED)
        if theirs.done():
            provider.unread(theirs.result())
        return ours.result() if ours.done() else b""
    finally:
        for task in (ours, theirs):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError):
                await task


async def _hello(agent: Plain, first: bytes) -> tuple[bytes, ClientHello | None]:
    """What TLS begins with, read to its end; None if it is no TLS after all."""
    while True:
        try:
            hello = client_hello.read(first)
        except NotTls:
            return first, None
        if hello is not None:
            return first, hello
        more = await agent.read()
        if not more:
            return first, None
        first += more


def _authority(words: str, port: int) -> tuple[str, int]:
    """Host and port. Raises ValueError."""
    host, colon, number = words.rpartition(":")
    if not colon or number.endswith("]"):
        return words.strip("[]"), port
    return host.strip("[]"), int(number)


def _sent_on(lines: list[bytes], origin: str, login: str) -> Iterable[bytes]:
    """The headers of a request as its host is to see them. After its answer the connection is over.

    `login`: what logs in at the user's own proxy, if it goes through that.
    """
    names = [line.partition(b":")[0].strip().lower() for line in lines]
    is_upgrade = b"upgrade" in names
    yield b"Host: " + origin.encode("latin-1")
    for name, line in zip(names, lines, strict=True):
        if name != b"host" and name not in _HOP and (name != b"connection" or is_upgrade):
            yield line
    if login:
        yield f"Proxy-Authorization: {login}".encode()
    if not is_upgrade:
        yield b"Connection: close"


def _why(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, Unreachable):
        return str(error)
    return error.strerror or str(error) or type(error).__name__
