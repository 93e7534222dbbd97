"""Messages of a WebSocket as they pass (RFC 6455, RFC 7692). `wsproto` reads the frames of both sides.

wsproto inflates all of a frame at once; `_Deflate` stops at the limit of a message. After that, nothing of
the connection can be read: compressed data refers to what came before. A connection is also abandoned if its
messages take far more in a trace than on the wire.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wsproto.extensions import Extension, PerMessageDeflate
from wsproto.frame_protocol import CloseReason, FrameProtocol, Opcode, ParseFailed, RsvBits

from acp_trace.model.mistakes import unquoted
from acp_trace.model.wire.events import (
    BodyEnd,
    Broken,
    Event,
    Headers,
    Side,
    SocketMessage,
    UnreadableTraffic,
)
from acp_trace.trace import codings
from acp_trace.trace.inflate import BadData, GrowthRoom, TooMuch, Zlib, inflated

#: Bytes of overhead that a message has in a trace: 160 to 180 were measured.
_ENTRY = 180
#: Bytes of overhead that are always allowed (370,000 messages), and those allowed per byte of the messages.
_FREE, _RATIO = 64 << 20, 8
_DATA = {Opcode.TEXT, Opcode.BINARY, Opcode.CONTINUATION}


class Sockets:
    """A connection that became a WebSocket; `headers` are those of the accepting response."""

    def __init__(self, exchange: int, headers: Headers) -> None:
        self._exchange = exchange
        offers = [value for name, value in headers if name == "sec-websocket-extensions"]
        self._readers: dict[Side, FrameProtocol] = {
            "agent": FrameProtocol(client=False, extensions=_extensions(offers)),
            "provider": FrameProtocol(client=True, extensions=_extensions(offers)),
        }
        #: The message so far, in one piece: endless empty fragments would fill a list.
        self._begun: dict[Side, bytearray] = {"agent": bytearray(), "provider": bytearray()}
        self._closed: set[Side] = set()
        self._entries = self._bytes = 0  #: bytes of all messages so far: overhead, and content

    def feed(self, side: Side, data: bytes) -> Iterator[Event]:
        """Yield the events of the next bytes of a side; empty data is its end. Raises UnreadableTraffic."""
        if not data:
            if side not in self._closed:
                yield Broken(self._exchange, side)
            return
        reader = self._readers[side]
        try:
            reader.receive_bytes(data)
            for frame in reader.received_frames():
                if frame.opcode is Opcode.CLOSE:
                    self._closed.add(side)
                    yield BodyEnd(self._exchange, side)
                elif frame.opcode in _DATA:
                    is_text = isinstance(frame.payload, str)
                    self._add(side, _bytes(frame.payload))
                    if frame.message_finished:
                        message = bytes(self._begun[side])
                        self._begun[side].clear()
                        self._count(len(message))
                        yield SocketMessage(self._exchange, side, message, is_text)
        except (ParseFailed, UnicodeDecodeError) as error:
            raise UnreadableTraffic(unquoted(str(error))) from None
        except BadData as error:
            raise UnreadableTraffic(f"a message is {error}") from None

    def _count(self, size: int) -> None:
        """Count a message. Raises UnreadableTraffic if too many of them are nearly empty."""
        self._entries += _ENTRY
        self._bytes += size
        if self._entries > _FREE + _RATIO * self._bytes:
            raise UnreadableTraffic(f"more than {_FREE // _ENTRY} messages of a few bytes")

    def _add(self, side: Side, part: bytes) -> None:
        if why := codings.is_too_long(len(self._begun[side]) + len(part)):
            raise TooMuch(why)
        self._begun[side] += part


class _Deflate(PerMessageDeflate):
    """Handles control frames between fragments: wsproto 1.3.2 takes their end for the end of the message."""

    _is_control = False

    def __init__(self) -> None:
        super().__init__()
        self._room = GrowthRoom(codings.limit_of_many())
        self._decompressor: Any = None

    def frame_inbound_header(
        self, proto: Any, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> CloseReason | RsvBits:
        """Return the flags if a frame may have them, else the reason to close."""
        self._decompressor = self._decompressor or _Inflating(self._room)
        self._is_control = opcode.iscontrol()
        if self._is_control:
            self._inbound_is_compressible = False
            return CloseReason.PROTOCOL_ERROR if rsv.rsv1 else rsv
        return super().frame_inbound_header(proto, opcode, rsv, payload_length)

    def frame_inbound_complete(self, proto: Any, fin: bool) -> bytes | CloseReason | None:
        """Return what is still to come of a message at the end of a frame."""
        return None if self._is_control else super().frame_inbound_complete(proto, fin)


class _Inflating:
    """A stand-in for zlib's decompressor in wsproto, within a room. It raises BadData."""

    def __init__(self, room: GrowthRoom) -> None:
        self._layers = [(Zlib(), room)]

    def decompress(self, data: bytes) -> bytes:
        """Return the decompressed data."""
        return b"".join(inflated(self._layers, data))

    def flush(self) -> bytes:
        """Return nothing: no data is held back."""
        return b""


def _bytes(payload: object) -> bytes:
    """Return the bytes of text or of bytes; none for a control frame's payload, which is neither."""
    if isinstance(payload, str):
        return payload.encode("utf-8", "surrogatepass")
    return bytes(payload) if isinstance(payload, (bytes, bytearray)) else b""


def _extensions(offers: list[str]) -> list[Extension]:
    """Return the extensions that the provider agreed to, as if we had asked for them."""
    deflate = _Deflate()
    for offer in ",".join(offers).split(","):
        if offer.split(";")[0].strip() == deflate.name:
            deflate.finalize(offer.strip())
            return [deflate]
    return []
