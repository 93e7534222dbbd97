"""HTTP requests of the client's side: logged first, then sent, and the answer read within a limit.

`client_http` knows the purpose of a request and the meaning of its answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from acp_trace.trace.codings import Decoder, Undecodable
from acp_trace.transport.client_link import CONNECT_S, ClientFault, fault, reason, status
from acp_trace.transport.headers import shown
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.stream_log import StreamLog

#: Shorter than servers keep an idle connection (Node and Uvicorn: 5 s): a request on a connection that is
#: being closed would be lost.
_IDLE_S = 2.0
_SHOWN = 200  #: characters of a server's text about its refusal


class BrokenOff(Exception):
    """The body of an answer ended before it was complete: the reason, in one line."""


class HttpAnswer:
    """The answer to a request, as soon as its head has come. `stream`: its number in the log."""

    def __init__(self, agent: RemoteAgent, response: Any, most_bytes: int, stream: int) -> None:
        self._agent, self._response, self._most = agent, response, most_bytes
        self.stream = stream
        self.status: int = response.status_code
        self.is_success: bool = response.is_success
        self.end: dict[str, object] = {"by": "client"}  #: how it ended, for the log

    @property
    def kind(self) -> str:
        """Its content type; a phrase if it has none."""
        return self.header("content-type") or "no content type"

    def header(self, name: str) -> str:
        """Return the value of a header; empty if there is none."""
        value: str = self._response.headers.get(name, "")
        return value

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces as they come. Raises BrokenOff.

        A server may compress it although it was asked not to: then it is decoded within a limit.
        """
        decoder = Decoder(self.header("content-encoding"))
        try:
            async for chunk in self._response.aiter_raw():
                for piece in decoder.pieces(chunk):
                    yield piece
        except transport_errors() as error:
            self.end = {"by": "agent", "failed": reason(error)}
            raise BrokenOff(reason(error)) from None
        except Undecodable as error:
            self.end = {"by": "client"}
            raise BrokenOff(f"its body cannot be decoded: {error}") from None
        self.end = {"by": "agent"}

    async def body(self, what: str) -> bytes:
        """Return the whole body. Raises ClientFault, which calls it the answer to `what`."""
        pieces, size = [], 0
        try:
            async for chunk in self.chunks():
                pieces.append(chunk)
                size += len(chunk)
                if size > self._most:
                    raise fault(self._agent, f"{what} was answered with more than {self._most >> 20} MB")
        except BrokenOff as broken:
            raise fault(self._agent, f"the answer to {what} broke off: {broken}") from None
        return b"".join(pieces)

    def refusal(self, what: str, body: bytes) -> ClientFault:
        """Return the fault of an answer that refuses `what`: its status, and its text if that is short.

        A page of HTML is left out.
        """
        text = " ".join(body.decode("utf-8", "replace").split())
        said = f": {text}" if text and len(text) <= _SHOWN and "<" not in text else ""
        line = status(self.status, self._response.reason_phrase)
        return fault(self._agent, f"{what} was answered with {line}{said}")


class HttpRequests:
    """Requests to one URL. Must be closed. `most_bytes`: of a body that is read as a whole."""

    def __init__(self, agent: RemoteAgent, log: StreamLog, *, most_bytes: int) -> None:
        import httpx

        self._agent, self._log, self._most = agent, log, most_bytes
        self._client = httpx.AsyncClient(
            verify=agent.verify,
            http2=True,
            trust_env=False,
            headers=[("Accept-Encoding", "identity"), *agent.headers],
            timeout=httpx.Timeout(None, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_IDLE_S),
        )
        #: The protocol of both sides: with TLS, it is negotiated when they connect.
        self._protocol = {} if agent.address.is_secure else {"protocol": "HTTP/1.1"}

    async def close(self) -> None:
        """Close the remaining connections."""
        await self._client.aclose()

    @contextlib.asynccontextmanager
    async def request(
        self, method: str, headers: dict[str, str], message: bytes = b""
    ) -> AsyncIterator[HttpAnswer]:
        """Send a request, and wait for the head of its answer. Raises ClientFault."""
        request = self._client.build_request(
            method, self._agent.address.http, headers=headers, content=message or None
        )
        stream = self._log.stream(
            method=method,
            path=self._agent.address.path,
            **self._protocol,
            headers=shown(request.headers.raw, self._agent.own_names),
        )
        if message:
            self._log.message("client", stream, message)
        end: dict[str, object] = {"by": "client"}
        try:
            try:
                response = await self._client.send(request, stream=True)
            except transport_errors() as error:
                end = {"by": "agent", "failed": reason(error)}
                raise fault(self._agent, reason(error)) from None
            self._protocol = {"protocol": response.http_version}
            head = {"status": response.status_code, "headers": shown(response.headers.raw)}
            self._log.say(stream, response={**head, **self._protocol})
            answer = HttpAnswer(self._agent, response, self._most, stream)
            try:
                yield answer
            finally:
                with contextlib.suppress(*transport_errors()):
                    await response.aclose()
                end = answer.end
        finally:
            self._log.stream_ends(stream, **end)


def transport_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of a broken connection: httpx raises its own, and few OSErrors unchanged."""
    import httpx

    return httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError
