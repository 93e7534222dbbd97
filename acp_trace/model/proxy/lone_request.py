"""A request that the proxy rewrites: one request and one answer, and nothing of the agent's beyond.

The target of a request for a plain `http://` URL names its host. The next request on the same connection may
be for another host and have another key. So the body of the first request is read to its end, and whatever
follows is dropped; a client sends it again on a new connection (RFC 9112, 9.3.1). The agent and the host both
get `Connection: close`. After `101 Switching Protocols`, bytes pass both ways as they are.

`h11` finds where messages end. What is sent are the bytes as they came, except for heads.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from http import HTTPStatus

import h11

from acp_trace.model.proxy.heads import BadRequest
from acp_trace.model.proxy.streams import Stream

_LONGEST_HEAD = 1 << 20
#: What an agent may send ahead of a switch of protocols, in bytes; more than that is dropped.
_LONGEST_AHEAD = 1 << 16
_VERSIONS = (b"1.0", b"1.1")
#: Headers between an agent and its proxy alone.
_HOP = {b"host", b"proxy-connection", b"proxy-authorization", b"keep-alive"}
_HOP_BACK = re.compile(rb"(?im)^(?:connection|keep-alive|proxy-connection)[ \t]*:.*\n")


class LoneRequest:
    """The agent's end of a connection (`Stream`), as the host of one request sees it.

    `head`: what the agent sent first, to the empty line. Raises BadRequest. `rewrite` comes before `read`.
    """

    def __init__(self, agent: Stream, head: bytes) -> None:
        self._agent = agent
        self._requests = h11.Connection(h11.SERVER, _LONGEST_HEAD)
        self._answers = h11.Connection(h11.CLIENT, _LONGEST_HEAD)
        self._request = self._read_head(head)
        self._out = b""  #: of the request, not yet read
        self._ahead = b""  #: sent before the host has switched protocols
        self._back = b""  #: of the answer, not yet a whole head
        self._is_sent = self._has_head = self._is_answered = self._is_switched = self._is_raw = False
        self._over = asyncio.Event()  #: nothing is left but to end, or to switch

    @property
    def target(self) -> bytes:
        """The target of the request, as the agent sent it."""
        return bytes(self._request.target)

    @property
    def method(self) -> str:
        """The method of the request."""
        return self._request.method.decode("ascii")

    @property
    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        """All headers of the request, with their names in lower case."""
        return list(self._request.headers)

    def headers(self, name: bytes) -> Iterator[bytes]:
        """The values of a header of the request. `name`: in lower case."""
        return (value for key, value in self._request.headers if key == name)

    def rewrite(self, target: bytes, origin: str, login: str) -> None:
        """Set the head that the host gets. `login`: for the user's own proxy, if there is one in between."""
        method, version = self._request.method, self._request.http_version
        headers = list(self._sent_on(origin.encode("latin-1"), login.encode()))
        lines = (b"%b: %b" % pair for pair in headers)
        self._out = b"\r\n".join([b"%b %b HTTP/%b" % (method, target, version), *lines, b"", b""])
        self._body(b"")
        self._answers.send(h11.Request(method=method, target=target, headers=headers))

    async def read(self) -> bytes:
        """See `Stream`: the request, then nothing until its answer is over or the agent has gone."""
        while not self._out:
            if self._is_switched:
                self._out, self._ahead = self._ahead, b""
                return await self.read() if self._out else await self._agent.read()
            if self._is_sent:
                await self._rest()
                if not self._is_switched:
                    return b""
            elif data := await self._agent.read():
                self._out = self._body(data)
            else:
                return b""
        out, self._out = self._out, b""
        return out

    def send(self, data: bytes) -> None:
        """See `Stream`: the answer, changed so that the agent does not expect another one."""
        if not self._is_raw:
            data = self._answer(data)
        if data:
            self._agent.send(data)

    async def drain(self) -> None:
        """See `Stream`."""
        await self._agent.drain()

    async def close(self) -> None:
        """See `Stream`."""
        if self._back:
            self._agent.send(self._back)
        await self._agent.close()

    def abort(self) -> None:
        """See `Stream`."""
        self._agent.abort()

    def _read_head(self, head: bytes) -> h11.Request:
        try:
            self._requests.receive_data(head)
            request = self._requests.next_event()
        except h11.ProtocolError:
            raise BadRequest("the request is not HTTP/1.1") from None
        if not isinstance(request, h11.Request) or request.http_version not in _VERSIONS:
            raise BadRequest("the request is not HTTP/1.1")
        return request

    def _sent_on(self, origin: bytes, login: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Return the headers for the host."""
        names = {name for name, _ in self._request.headers}
        left_out = _HOP if b"upgrade" in names else _HOP | {b"connection"}
        if b"transfer-encoding" in names:  # RFC 9112, 6.3: only one of the two may be sent
            left_out = left_out | {b"content-length"}
        yield b"Host", origin
        for name, value in self._request.headers.raw_items():
            if name.lower() not in left_out:
                yield name, value
        if login:
            yield b"Proxy-Authorization", login
        if b"upgrade" not in names:
            yield b"Connection", b"close"

    def _body(self, data: bytes) -> bytes:
        """Return the part of the data that belongs to the request's body. Raises OSError if it is invalid."""
        try:
            if data:
                self._requests.receive_data(data)
            while (event := self._requests.next_event()) is not h11.NEED_DATA:
                if isinstance(event, h11.EndOfMessage):
                    beyond, _ = self._requests.trailing_data
                    self._is_sent = True
                    self._end_if_over()
                    self._keep(beyond)
                    return data[: len(data) - len(beyond)]
        except h11.ProtocolError:
            raise OSError("the body of the request cannot be read") from None
        return data

    async def _rest(self) -> None:
        """Wait until the answer is over or the agent has gone; drop what the agent sends meanwhile."""
        tasks = [asyncio.ensure_future(self._dropped()), asyncio.ensure_future(self._over.wait())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _dropped(self) -> None:
        while data := await self._agent.read():
            self._keep(data)
            if len(self._ahead) > _LONGEST_AHEAD:
                await self._over.wait()

    def _keep(self, data: bytes) -> None:
        """Keep what comes after the request if it may belong to the next protocol."""
        if any(True for _ in self.headers(b"upgrade")):
            self._ahead += data

    def _answer(self, data: bytes) -> bytes:
        """Return what the agent gets for these bytes of the host. What is not HTTP passes unchanged."""
        if self._is_answered:
            return b""
        back, self._back = self._back + data, b""
        out = b""
        try:
            self._answers.receive_data(data)
            while (event := self._answers.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, (h11.InformationalResponse, h11.Response)):
                    head, back = self._split(back)
                    self._has_head = isinstance(event, h11.Response)
                    out += _closing(head) if self._has_head else head
                    if event.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
                        self._is_switched = self._is_raw = True
                        self._over.set()
                        return out + back
                elif isinstance(event, h11.EndOfMessage):
                    back, _ = self._split(back)
                    self._is_answered = True
                    self._end_if_over()
                    break
        except h11.ProtocolError:
            self._is_raw = True
            return out + back
        if self._has_head:
            return out + back
        self._back = back
        return out

    def _split(self, data: bytes) -> tuple[bytes, bytes]:
        """Return which of these bytes of the answer are read as a head, and the rest."""
        at = len(data) - len(self._answers.trailing_data[0])
        return data[:at], data[at:]

    def _end_if_over(self) -> None:
        """End the request if its answer is over: a host may answer while the agent is still sending."""
        if self._is_sent and self._is_answered:
            self._over.set()


def _closing(head: bytes) -> bytes:
    """Return the head of an answer, changed to announce that the connection ends after it."""
    return _HOP_BACK.sub(b"", head).rstrip(b"\r\n") + b"\r\nConnection: close\r\n\r\n"
