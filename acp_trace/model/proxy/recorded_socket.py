"""A WebSocket whose provider is a recording: each message that asks gets its recorded answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from wsproto.frame_protocol import CloseReason, Frame, FrameProtocol, Opcode, ParseFailed
from wsproto.utilities import generate_accept_token

from acp_trace.model.matching.shapes import ModelRequest
from acp_trace.model.proxy.answers import Answers
from acp_trace.model.proxy.recorded_model import RecordedModel

_DATA = (Opcode.TEXT, Opcode.BINARY, Opcode.CONTINUATION)


class RecordedSocket:
    """`request` opened it, `exchange` is its number. No extension is agreed to."""

    def __init__(self, request: ModelRequest, answers: Answers, model: RecordedModel, exchange: int) -> None:
        self._request, self._answers, self._model = request, answers, model
        self._exchange = exchange
        self._frames = FrameProtocol(client=False, extensions=[])

    def accepted(self) -> list[tuple[str, str]]:
        """Return the headers of the response that accepts it."""
        key = dict(self._request.headers).get("sec-websocket-key") or ""
        token = generate_accept_token(key.encode("latin-1")).decode()
        return [("upgrade", "websocket"), ("connection", "Upgrade"), ("sec-websocket-accept", token)]

    async def serve(
        self, early: bytes, read: Callable[[], Awaitable[bytes]], send: Callable[[bytes], Awaitable[None]]
    ) -> None:
        """Answer messages until one side closes it. `early`: bytes that were read already."""
        try:
            async for message in self._messages(early, read, send):
                if not await self._answer(message, send):
                    return
        except ParseFailed as failed:
            await send(bytes(self._frames.close(failed.code)))

    async def _answer(self, message: bytes, send: Callable[[bytes], Awaitable[None]]) -> bool:
        """Send the answer to a message; return whether the connection goes on."""
        answer = self._answers.message(self._request._replace(body=self._model.secrets.cut(message)))
        if answer is None:
            return True
        self._model.tell(self._exchange, answer.served)
        async for piece in self._model.paced(answer, asyncio.get_running_loop().time()):
            payload: str | bytes = piece.data.decode("utf-8", "replace") if piece.is_text else piece.data
            await send(bytes(self._frames.send_data(payload, fin=True)))
        return answer.ending != "cut"

    async def _messages(
        self, early: bytes, read: Callable[[], Awaitable[bytes]], send: Callable[[bytes], Awaitable[None]]
    ) -> AsyncIterator[bytes]:
        """Yield the agent's messages, whole; pings are answered on the way."""
        parts: list[bytes] = []
        self._frames.receive_bytes(early)
        while True:
            for frame in self._frames.received_frames():
                if frame.opcode is Opcode.CLOSE:
                    await send(bytes(self._frames.close(CloseReason.NORMAL_CLOSURE)))
                    return
                if frame.opcode is Opcode.PING:
                    await send(bytes(self._frames.pong(_bytes(frame))))
                elif frame.opcode in _DATA:
                    parts.append(_bytes(frame))
                    if frame.message_finished:
                        yield b"".join(parts)
                        parts = []
            self._frames.receive_bytes(await read())


def _bytes(frame: Frame) -> bytes:
    payload = frame.payload
    if isinstance(payload, str):
        return payload.encode("utf-8", "surrogatepass")
    return bytes(payload) if isinstance(payload, (bytes, bytearray)) else b""
