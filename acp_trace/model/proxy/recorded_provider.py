"""A provider in memory: the other end of an agent's connection in a replay, with no network behind it.

It speaks HTTP/1.1 as a server does, one request after the other, however the agent sends them, and becomes a
WebSocket if the recorded provider did. `answers` decides what it says; the pace decides when.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from http import HTTPStatus
from itertools import takewhile
from typing import Any

import h11

from acp_trace.model.matching.shapes import ModelRequest
from acp_trace.model.mistakes import described
from acp_trace.model.proxy.answers import Answers, Pairs, ServedAnswer, TimedPiece, is_upgrade
from acp_trace.model.proxy.recorded_model import RecordedModel
from acp_trace.model.proxy.recorded_socket import RecordedSocket
from acp_trace.trace.codings import Decoder, Undecodable

_LONGEST_HEAD = 1 << 20
#: Pieces that wait until the agent takes them.
_WAITING = 16
#: An agent reads a piece with the head if it follows this soon.
_AT_ONCE_NS = 1_000_000
_NO_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


class RecordedProvider:
    """A `Stream` to `host`. `exchange`: the number of the current exchange, once the tap has read it."""

    protocol = "http/1.1"

    def __init__(self, host: str, model: RecordedModel) -> None:
        self.host = host
        self.exchange = 0
        self._model = model
        self._http = h11.Connection(h11.SERVER, _LONGEST_HEAD)
        self._arrived: asyncio.Queue[bytes] = asyncio.Queue()
        self._out: asyncio.Queue[bytes] = asyncio.Queue(_WAITING)
        self._is_taken = False
        self._serving: asyncio.Task[None] | None = None

    async def read(self) -> bytes:
        """See `Stream`."""
        if self._is_taken:  # and passed on, and read by the tap
            self._out.task_done()
        self._is_taken = False
        data = await self._out.get()
        self._is_taken = True
        return data

    def unread(self, data: bytes) -> None:
        """Does nothing: a recorded provider never speaks first."""
        raise AssertionError(data)

    def send(self, data: bytes) -> None:
        """See `Stream`. The answer is made after this returns: by then its exchange has its number."""
        self._arrived.put_nowait(data)
        if self._serving is None:
            self._serving = asyncio.ensure_future(self._serve())

    async def drain(self) -> None:
        """See `Stream`."""

    async def close(self) -> None:
        """See `Stream`."""
        self.abort()

    def abort(self) -> None:
        """See `Stream`."""
        if self._serving is not None:
            self._serving.cancel()

    async def _serve(self) -> None:
        try:
            while await self._serve_one():
                self._http.start_next_cycle()
        except h11.ProtocolError:  # what is not HTTP gets no answer
            pass
        except Exception as error:  # after any error, the agent must not wait for ever
            self._model.tell(self.exchange, {"failed": described(error)})
        await self._out.put(b"")

    async def _serve_one(self) -> bool:
        """Answer the next request; return whether another one may follow."""
        request = await self._next()
        if not isinstance(request, h11.Request):
            return False
        parts = []
        while isinstance(event := await self._next(), h11.Data):
            parts.append(bytes(event.data))
        if not isinstance(event, h11.EndOfMessage):
            return False
        asked = self._request(request, b"".join(parts))
        answers = await self._model.answers()
        await self._out.join()  # only then is the previous exchange over for the tap
        is_socket = is_upgrade(asked.headers)
        answer = answers.upgrade(asked) if is_socket else answers.answer(asked)
        if answer.served:
            self._model.tell(self.exchange, answer.served)
        if is_socket and answer.status == HTTPStatus.SWITCHING_PROTOCOLS:
            await self._switch(asked, answer, answers)
            return False
        await self._send(answer, asked.method)
        return self._http.our_state is h11.DONE and not answer.is_http_1_0

    async def _next(self) -> Any:
        """Return the agent's next event."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._put(h11.InformationalResponse(status_code=HTTPStatus.CONTINUE, headers=[]))
            self._http.receive_data(await self._arrived.get())
        return event

    def _request(self, head: h11.Request, body: bytes) -> ModelRequest:
        """Return the request as it would be recorded."""
        secrets = self._model.secrets
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
        coding = ",".join(value for name, value in headers if name == "content-encoding")
        with contextlib.suppress(Undecodable):
            body = Decoder(coding).whole(body)
        host = secrets.host(dict(headers).get("host", self.host))
        target = secrets.target(head.target.decode("latin-1"))
        return ModelRequest(head.method.decode(), host, target, secrets.headers(headers), secrets.cut(body))

    async def _send(self, answer: ServedAnswer, method: str) -> None:
        began = asyncio.get_running_loop().time()
        if answer.status is not None:
            await self._model.wait(began, answer.after_ns)
            is_empty = method == "HEAD" or answer.status in _NO_BODY
            at_once = () if answer.slow_ns else answer.pieces
            with_head = list(takewhile(lambda piece: _came_with_head(piece, answer), at_once))
            head = self._head(answer, is_empty=is_empty)
            for piece in with_head if not is_empty else ():
                head += self._http.send(h11.Data(data=piece.data)) or b""
            await self._out.put(head)
            rest = replace(answer, pieces=answer.pieces[len(with_head) :])
            async for piece in self._model.paced(rest, began):
                if piece.data and not is_empty:
                    await self._put(h11.Data(data=piece.data))
        if answer.ending == "open":
            await asyncio.Event().wait()  # until the agent leaves
        if answer.ending == "whole":
            await self._put(h11.EndOfMessage())

    def _head(self, answer: ServedAnswer, *, is_empty: bool) -> bytes:
        head = self._http.send(_head(answer, is_empty=is_empty)) or b""
        if answer.is_http_1_0:  # it has a length, which both versions can read
            head = head.replace(b"HTTP/1.1 ", b"HTTP/1.0 ", 1)
        return head

    async def _put(self, event: Any) -> None:
        if data := self._http.send(event):
            await self._out.put(data)

    async def _switch(self, request: ModelRequest, answer: ServedAnswer, answers: Answers) -> None:
        """Continue as a WebSocket, to its end."""
        socket = RecordedSocket(request, answers, self._model, self.exchange)
        head = h11.InformationalResponse(
            status_code=HTTPStatus.SWITCHING_PROTOCOLS,
            headers=_encoded((*answer.headers, *socket.accepted())),
            reason=HTTPStatus.SWITCHING_PROTOCOLS.phrase,
        )
        await self._put(head)
        early, _ = self._http.trailing_data
        await socket.serve(early, self._arrived.get, self._out.put)


def _came_with_head(piece: TimedPiece, answer: ServedAnswer) -> bool:
    """Whether to send a piece with the head: codex's tungstenite reads a refusal's body only from there."""
    return piece.after_ns - answer.after_ns < _AT_ONCE_NS and not piece.cancels


def _head(answer: ServedAnswer, *, is_empty: bool) -> h11.Response:
    assert answer.status is not None
    headers = answer.headers
    is_whole = answer.ending == "whole"
    if not is_empty and (answer.is_http_1_0 or (answer.has_length and is_whole)):
        length = sum(len(piece.data) for piece in answer.pieces)
        if not is_whole:  # HTTP/1.0 has no chunks: an unfinished body must be shorter than its length
            length += 1
        headers = (*headers, ("content-length", str(length)))
    reason = "" if answer.is_nameless else _phrase(answer.status)
    return h11.Response(status_code=answer.status, headers=_encoded(headers), reason=reason)


def _encoded(headers: Pairs) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers]


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
