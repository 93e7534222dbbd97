"""HTTP/2 as it passes. `hyperframe` reads frames, `hpack` reads heads; each direction is read separately.

RFC 9113. A state machine is not needed: the other side answers protocol errors, a reader does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hpack import Decoder, HPACKError
from hyperframe.exceptions import HyperframeError
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    Frame,
    HeadersFrame,
    PushPromiseFrame,
    RstStreamFrame,
)

from acp_trace.model.mistakes import unquoted
from acp_trace.model.wire.events import (
    Body,
    BodyEnd,
    Broken,
    Event,
    Headers,
    RequestHead,
    ResponseHead,
    Side,
    UnreadableTraffic,
)
from acp_trace.trace import codings
from acp_trace.trace.inflate import GrowthRoom, TooMuch

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_FRAME_HEAD = 9
_LONGEST_HEAD = 1 << 20
#: What an entry of a head counts in addition to its name and value (RFC 7541, 4.1).
_ENTRY = 32
#: The largest allowed table of heads. The two sides agree on less; a side that exceeds its limit gets an
#: error from the other.
_LARGEST_TABLE = 1 << 20


class _Direction:
    """What one side has sent: bytes of an unfinished frame, and the heads that it refers back to."""

    def __init__(self, preface: bytes) -> None:
        self.preface = preface
        self.buffer = bytearray()
        self.decoder = Decoder(max_header_list_size=_LONGEST_HEAD)
        self.decoder.max_allowed_table_size = _LARGEST_TABLE
        self.block = bytearray()  #: of a head that goes on in the next frame
        self.room = GrowthRoom(codings.limit_of_many())  #: of heads: one byte may stand for a long line
        self.ends_stream = self.is_promise = False


class Http2:
    """One connection to `host`. `number` gives each exchange its number."""

    def __init__(self, host: str, number: Callable[[], int]) -> None:
        self._host = host
        self._number = number
        self._directions = {"agent": _Direction(PREFACE), "provider": _Direction(b"")}
        self._exchanges: dict[int, int] = {}  #: by stream
        self._ended: set[tuple[int, Side]] = set()

    def feed(self, side: Side, data: bytes) -> Iterator[Event]:
        """Yield the events of the next bytes of a side; empty data is its end. Raises UnreadableTraffic."""
        if not data:
            yield from [Broken(exchange, side) for exchange in self._exchanges.values()]
            self._exchanges.clear()
            return
        direction = self._directions[side]
        direction.room.take(len(data))
        direction.buffer += data
        if direction.preface:
            if len(direction.buffer) < len(direction.preface):
                return
            del direction.buffer[: len(direction.preface)]
            direction.preface = b""
        try:
            while (frame := _next(direction.buffer)) is not None:
                yield from self._frame(side, direction, frame)
        except TooMuch as error:
            raise UnreadableTraffic(f"heads are {error}") from None
        except (HyperframeError, HPACKError, ValueError) as error:
            raise UnreadableTraffic(unquoted(str(error)) or type(error).__name__) from None

    def _frame(self, side: Side, direction: _Direction, frame: Frame) -> Iterator[Event]:
        if isinstance(frame, (HeadersFrame, PushPromiseFrame, ContinuationFrame)):
            if not isinstance(frame, ContinuationFrame):
                direction.block.clear()
                direction.ends_stream = "END_STREAM" in frame.flags
                direction.is_promise = isinstance(frame, PushPromiseFrame)
            direction.block += frame.data
            if len(direction.block) > _LONGEST_HEAD:
                raise UnreadableTraffic("a head is too long")
            if "END_HEADERS" in frame.flags:
                headers = _headers(direction.decoder, bytes(direction.block))
                direction.room.give(sum(len(name) + len(value) + _ENTRY for name, value in headers))
                if not direction.is_promise:
                    yield from self._head(side, frame.stream_id, headers, ends=direction.ends_stream)
        elif isinstance(frame, DataFrame) and frame.stream_id in self._exchanges:
            if frame.data:
                yield Body(self._exchanges[frame.stream_id], side, bytes(frame.data))
            if "END_STREAM" in frame.flags:
                yield from self._end(side, frame.stream_id)
        elif isinstance(frame, RstStreamFrame) and frame.stream_id in self._exchanges:
            yield Broken(self._exchanges.pop(frame.stream_id), side)

    def _head(self, side: Side, stream: int, headers: Headers, *, ends: bool) -> Iterator[Event]:
        pseudo = {name: value for name, value in headers if name.startswith(":")}
        plain = tuple((name, value) for name, value in headers if not name.startswith(":"))
        if side == "agent" and ":method" in pseudo:
            exchange = self._exchanges[stream] = self._number()
            host = pseudo.get(":authority") or dict(plain).get("host", self._host)
            yield RequestHead(exchange, pseudo[":method"], pseudo.get(":path", ""), host, plain, "h2")
        elif side == "provider" and ":status" in pseudo and stream in self._exchanges:
            yield ResponseHead(self._exchanges[stream], int(pseudo[":status"]), plain)
        if ends and stream in self._exchanges:  # trailers end a stream, too
            yield from self._end(side, stream)

    def _end(self, side: Side, stream: int) -> Iterator[Event]:
        yield BodyEnd(self._exchanges[stream], side)
        self._ended.add((stream, side))
        both: set[tuple[int, Side]] = {(stream, "agent"), (stream, "provider")}
        if both <= self._ended:
            self._ended -= both
            del self._exchanges[stream]


def _next(buffer: bytearray) -> Frame | None:
    """Return the first frame, removed from the buffer; None while it is not whole."""
    if len(buffer) < _FRAME_HEAD:
        return None
    frame, length = Frame.parse_frame_header(memoryview(bytes(buffer[:_FRAME_HEAD])))
    end = _FRAME_HEAD + length
    if len(buffer) < end:
        return None
    frame.parse_body(memoryview(bytes(buffer[_FRAME_HEAD:end])))
    del buffer[:end]
    return frame


def _headers(decoder: Decoder, block: bytes) -> Headers:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in decoder.decode(block, raw=True)
    )
