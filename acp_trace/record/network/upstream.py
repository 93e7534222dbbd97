"""The agent's side of the proxy: requests and WebSockets to the one given URL. Records nothing.

No environment variable, redirect or cookie of the proxy interferes: the client's requests go to that URL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from typing import Any

from acp_trace.record.network.headers import of_handshake, of_request, of_response
from acp_trace.transport.headers import Headers
from acp_trace.transport.limits import MOST_BYTES
from acp_trace.transport.remote import RemoteAgent

_CONNECT_S = 30.0
_CLOSE_S = 2.0
#: Shorter than servers keep an idle connection (Node and Uvicorn: 5 s). A request on a connection that is
#: being closed would be lost.
_IDLE_S = 2.0
_SOCKET_QUEUE = 16  #: messages read ahead; then the agent has to wait


class AgentUnreachable(Exception):
    """The agent cannot be reached, or has gone; one line with the reason."""


class WebSocketRefused(Exception):
    """The agent answered the request for a WebSocket with an ordinary response."""

    def __init__(self, status: int, headers: Headers, body: bytes) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.headers, self.body = status, headers, body


@dataclass(slots=True)
class AgentResponse:
    """The head of a response, and its body as it comes. Must be closed. `chunks` raises AgentUnreachable."""

    status: int
    protocol: str
    headers: Headers
    _response: Any

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body, undecoded, in pieces as they come."""
        import httpx

        try:
            async for chunk in self._response.stream:
                yield chunk
        except httpx.TransportError as error:
            raise AgentUnreachable(_why(error)) from None

    async def close(self) -> None:
        """Release what has not been read."""
        await self._response.stream.aclose()


class AgentUpstream:
    """The agent at a URL. It must be made in a running loop, and closed.

    `origins`: other pages' origins, which reach the agent unchanged. Any other origin is the proxy's own and
    is replaced with the agent's own, as in `Host`.
    """

    def __init__(self, agent: RemoteAgent, origins: Collection[str] = ()) -> None:
        import httpx

        self.remote = agent.address
        self._agent, self._origins = agent, origins
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=_IDLE_S)
        self._http = httpx.AsyncHTTPTransport(verify=agent.verify, http2=True, limits=limits, trust_env=False)

    async def request(self, method: str, target: bytes, headers: Headers, body: bytes) -> AgentResponse:
        """Send a request, and return the head of its response. Raises AgentUnreachable."""
        import httpx

        sent: Headers = [(b"Host", self.remote.authority.encode()), *self._with_own(of_request(headers))]
        if body or method not in ("GET", "HEAD", "DELETE"):
            sent.append((b"Content-Length", str(len(body)).encode()))
        timeout = {"connect": _CONNECT_S, "read": None, "write": None, "pool": None}
        request = httpx.Request(
            method,
            self.remote.http,
            headers=sent,
            stream=httpx.ByteStream(body),
            extensions={"timeout": timeout, "target": self._target(target)},
        )
        try:
            response = await self._http.handle_async_request(request)
        except (httpx.TransportError, OSError) as error:
            raise AgentUnreachable(_why(error)) from None
        protocol = response.extensions.get("http_version", b"HTTP/1.1").decode()
        return AgentResponse(response.status_code, protocol, of_response(response.headers.raw), response)

    async def socket(self, target: bytes, headers: Headers, subprotocols: list[str]) -> Any:
        """Open a WebSocket (`websockets.ClientConnection`). Raises AgentUnreachable and WebSocketRefused."""
        import websockets
        from websockets.asyncio.client import connect

        class Connect(connect):
            def process_redirect(self, exc: Exception) -> Exception:
                """Do not follow a redirect: the client has to see it."""
                return exc

        url = self.remote.websocket.partition("?")[0]
        root = url.removesuffix(self.remote.path)
        more = [
            (key.decode("latin-1"), each.decode("latin-1"))
            for key, each in self._with_own(of_handshake(headers))
        ]
        try:
            return await Connect(
                root + self._target(target).decode("latin-1"),
                additional_headers=more,
                subprotocols=subprotocols or None,  # type: ignore[arg-type]
                compression=None,
                max_size=MOST_BYTES,
                max_queue=_SOCKET_QUEUE,
                ping_interval=None,
                open_timeout=_CONNECT_S,
                close_timeout=_CLOSE_S,
                proxy=None,
                user_agent_header=None,
                ssl=self._agent.trust,
            )
        except websockets.InvalidStatus as refused:
            response = refused.response
            raw = [(key.encode(), each.encode()) for key, each in response.headers.raw_items()]
            raise WebSocketRefused(
                response.status_code, of_response(raw), bytes(response.body or b"")
            ) from None
        except (OSError, websockets.WebSocketException) as error:
            raise AgentUnreachable(_why(error)) from None

    async def close(self) -> None:
        """Close the remaining connections."""
        await self._http.aclose()

    def _with_own(self, headers: Headers) -> Headers:
        """Return headers with the agent's own origin, and the user's headers that the client did not send."""
        headers = [
            (name, self.remote.origin.encode() if self._is_own_origin(name, value) else value)
            for name, value in headers
        ]
        brought = {name.lower() for name, _ in headers}
        own = [(name.encode(), value.encode()) for name, value in self._agent.headers]
        return [*headers, *(each for each in own if each[0].lower() not in brought)]

    def _is_own_origin(self, name: bytes, value: bytes) -> bool:
        return name.lower() == b"origin" and value.decode("latin-1") not in self._origins

    def _target(self, target: bytes) -> bytes:
        """Return path and query for the agent: the query of the given URL goes with every request."""
        if not self.remote.query:
            return target
        return target + (b"&" if b"?" in target else b"?") + self.remote.query.encode()


def _why(error: Exception) -> str:
    """Return the reason in one line. The libraries' messages name hosts and system errors, never secrets."""
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
