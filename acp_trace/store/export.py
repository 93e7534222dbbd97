"""Rows -> the trace file as it was loaded, byte for byte; or what one side sent, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from acp_trace.analyze.frame import Frame
from acp_trace.store import read
from acp_trace.store.read import Opener
from acp_trace.trace import encode
from acp_trace.trace.entries import SENT


def file(opened: Opener, trace_id: str) -> Iterator[bytes]:
    """The pieces of the trace file. Raises TraceGone."""
    opened = read.unchanged(opened, trace_id)  # for lines and frames alike
    frames = read.frames(opened, trace_id)
    number = 0
    for line, kind, raw in read.lines(opened, trace_id):
        for frame in islice(frames, line - number - 1):
            yield _line(frame)
            number += 1
        if kind in SENT:
            next(frames, None)  # is here in its own layout
        yield raw
        number += 1
    for frame in frames:
        yield _line(frame)


def _line(frame: Frame) -> bytes:
    """The line of a frame that is only in `frames`: a frame without a time is in `lines`."""
    return encode.CANONICAL[frame.sender] % (frame.t_ns or 0, frame.data)


def stream(frames: Iterable[Frame], sender: str) -> Iterator[bytes]:
    """The bytes that one side sent, from its frames. What a gap lost is not there."""
    for frame in frames:
        if frame.sender == sender:
            yield frame.data if frame.partial else frame.data + b"\n"
