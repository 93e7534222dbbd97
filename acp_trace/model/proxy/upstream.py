"""Connections to providers: to mapped addresses, through the user's own proxy, or direct."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ssl
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from acp_trace.model.proxy.connections import Unreachable
from acp_trace.model.proxy.environment import read_file, system_roots
from acp_trace.model.proxy.settings import Address
from acp_trace.model.proxy.streams import Plain, Stream, Tls

#: Files with certificates that the user trusts, in addition to the system's.
_MORE = ("NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE", "DENO_CERT")
#: The longest answer of a proxy that is read.
_LONGEST_ANSWER = 1 << 16


_NO_NAME = "its name is not the name of a host"


class Upstream:
    """See `Connections`. `given`: the user's environment without acp-trace's changes."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self._context: asyncio.Future[ssl.SSLContext] | None = None
        self._proxies: dict[str, str] = {}
        if any(name.lower().endswith("_proxy") for name in given):
            from urllib.request import getproxies

            self._proxies = getproxies()

    async def connect(self, address: Address, *, straight: bool = False) -> Plain:
        """Return a connection on which TLS may begin. `straight`: not through a proxy. Raises OSError."""
        proxy = None if straight else self.proxy(address)
        if proxy is None:
            return await _opened(address.host, address.port)
        return await self._through(proxy, address)

    def proxy(self, address: Address) -> str | None:
        """Return the URL of the user's proxy for an address, if there is one."""
        if not self._proxies:
            return None
        from urllib.request import proxy_bypass

        if proxy_bypass(f"{address.host}:{address.port}"):
            return None
        return self._proxies.get("https" if address.is_tls else "http") or self._proxies.get("all")

    async def to_proxy(self, proxy: str) -> tuple[Plain, str]:
        """Return a connection to the user's proxy, and its login value or an empty text. Raises OSError."""
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if parts.scheme != "http" or not parts.hostname:
            raise Unreachable(f"a proxy by {parts.scheme} is not supported; http is")
        login = ""
        if parts.username is not None:
            plain = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            login = f"Basic {base64.b64encode(plain.encode()).decode()}"
        return await _opened(parts.hostname, parts.port or 80), login

    async def _through(self, proxy: str, address: Address) -> Plain:
        stream, login = await self.to_proxy(proxy)
        host = f"[{address.host}]" if ":" in address.host else address.host
        lines = [f"CONNECT {host}:{address.port} HTTP/1.1", f"Host: {host}:{address.port}"]
        lines += [f"Proxy-Authorization: {login}"] if login else []
        stream.send("\r\n".join([*lines, "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            more = await stream.read()
            answer += more
            if not more or len(answer) > _LONGEST_ANSWER:
                stream.abort()
                raise Unreachable("the proxy in between gives no answer")
        first, _, rest = answer.partition(b"\r\n\r\n")
        words = first.split(b"\r\n")[0].decode("latin-1").split(" ", 2)
        if len(words) < 2 or not words[1].startswith("2"):
            stream.abort()
            raise Unreachable(f"the proxy in between says {' '.join(words[1:])[:100]}")
        stream.unread(rest)
        return stream

    def cancelled(self) -> None:
        """Do nothing: a cancel does not concern a real model."""

    def prepare(self) -> None:
        """Start to read the certificates, so that the first connection does not wait for them."""
        if self._context is None:
            self._context = asyncio.ensure_future(asyncio.to_thread(self._made))

    async def tls(self, stream: Stream, host: str, protocols: tuple[str, ...]) -> Tls:
        """Start TLS with a provider and offer it the agent's protocols. Raises OSError."""
        self.prepare()
        assert self._context is not None
        context = await asyncio.shield(self._context)
        context.set_alpn_protocols(protocols)  # for the next connection only: each takes a copy
        try:
            tls = Tls(stream, context, server_name=host)
        except (TypeError, ValueError):  # a NUL in it is a TypeError
            raise Unreachable(_NO_NAME) from None
        await tls.handshake()
        return tls

    def _made(self) -> ssl.SSLContext:
        """Return a context that trusts what the agent would trust. Each file of certificates is read once."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        roots = system_roots(self._given)
        seen = {roots, b""}
        if roots:
            context.load_verify_locations(cadata=roots.decode("ascii", "ignore"))
        else:
            context.load_default_certs()
        for name in _MORE:
            content = read_file(self._given.get(name))
            if content not in seen:
                seen.add(content)
                with contextlib.suppress(OSError):
                    context.load_verify_locations(self._given[name])
        if self._given.get("NODE_TLS_REJECT_UNAUTHORIZED") == "0":  # the user wants it so
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


async def _opened(host: str, port: int) -> Plain:
    """Open a connection. Raises OSError, also for a name that DNS cannot have (empty or long labels)."""
    try:
        return Plain(*await asyncio.open_connection(host, port))
    except UnicodeError:
        raise Unreachable(_NO_NAME) from None
