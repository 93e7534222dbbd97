"""Bytes of both sides of a connection, made by hand, and what a tap says of them in any pieces."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from hpack import Encoder
from hyperframe.frame import ContinuationFrame, DataFrame, Frame, HeadersFrame, RstStreamFrame, SettingsFrame

from acp_trace.model.wire.events import Body, Event, Side
from acp_trace.model.wire.tap import Tap

#: A connection: who said what, in order.
Talk = list[tuple[Side, bytes]]


def heard(talk: Iterable[tuple[Side, bytes]], host: str = "host") -> tuple[list[Event], Tap]:
    """What a tap says of a connection; the pieces of a body that follow each other as one."""
    tap = Tap(host, count(1).__next__)
    events: list[Event] = []
    for side, data in talk:
        for event in tap.feed(side, data):
            last = events[-1] if events else None
            if isinstance(event, Body) and isinstance(last, Body) and _goes_on(event, last):
                events[-1] = Body(event.exchange, event.side, last.data + event.data)
            else:
                events.append(event)
    return events, tap


def _goes_on(event: Body, last: Body) -> bool:
    return (event.exchange, event.side) == (last.exchange, last.side)


def in_pieces(talk: Talk, size: int) -> Talk:
    """The same bytes in reads of this size at most; an end stays an end."""
    return [(side, data[at : at + size]) for side, data in talk for at in range(0, max(len(data), 1), size)]


class H2:
    """Writes frames of one side of a connection with HTTP/2."""

    def __init__(self) -> None:
        self._encoder = Encoder()

    def head(
        self, stream: int, *fields: tuple[str, str], ends: bool = False, cut: int | None = None
    ) -> bytes:
        """A head; `cut`: so many bytes of it in a frame, and the rest in the next one."""
        block = self._encoder.encode(fields)
        frame = HeadersFrame(stream, data=block[:cut], flags=["END_STREAM"] if ends else [])
        if cut is None:
            frame.flags.add("END_HEADERS")
            return frame.serialize()
        return (
            frame.serialize() + ContinuationFrame(stream, data=block[cut:], flags=["END_HEADERS"]).serialize()
        )

    @staticmethod
    def data(stream: int, data: bytes, *, ends: bool = False, pad: int = 0) -> bytes:
        frame = DataFrame(stream, data=data, flags=["END_STREAM"] if ends else [])
        if pad:
            frame.flags.add("PADDED")
            frame.pad_length = pad
        return frame.serialize()

    @staticmethod
    def reset(stream: int) -> bytes:
        return RstStreamFrame(stream, error_code=8).serialize()

    @staticmethod
    def settings() -> bytes:
        return SettingsFrame(0, settings={SettingsFrame.HEADER_TABLE_SIZE: 65536}).serialize()


def serialized(*frames: Frame) -> bytes:
    return b"".join(frame.serialize() for frame in frames)
