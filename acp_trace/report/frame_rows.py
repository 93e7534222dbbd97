"""Frames with what depends on other frames: the time since the one before, a response's latency.

Frames in, rows out, one at a time: nothing is kept but the times of requests without an answer. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acp_trace.analyze.batches import EnvelopePlace
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.story.messages import Messages
from acp_trace.trace.entries import Entry


class FrameRow(NamedTuple):
    """One frame of a list. Both times are in ns; None in a trace without times."""

    frame: Frame
    since_previous_ns: int | None = None  #: since the frame before it in the trace; None of the first
    latency_ns: int | None = None  #: of a response, since its request
    message: int = 0  #: of a chunk, the frame with which its message begins (`story.messages`)


class Timer:
    """Makes rows of the frames of one trace. It needs all of them, also those that are not shown."""

    def __init__(self) -> None:
        self._previous: int | None = None
        self._messages = Messages()
        self._asked: dict[int, int] = {}  #: times of the requests without an answer, by their frames

    def row(self, frame: Frame) -> FrameRow:
        """The next frame, with its times."""
        is_inside = isinstance(frame.frame, EnvelopePlace)  # it came with the one before
        since = None if is_inside else _between(self._previous, frame.t_ns)
        self._previous = frame.t_ns
        if frame.kind is MessageKind.REQUEST and frame.t_ns is not None:
            self._asked[frame.frame] = frame.t_ns
        request_ns = None if frame.answers is None else self._asked.pop(frame.answers, None)
        return FrameRow(frame, since, _between(request_ns, frame.t_ns), self._messages.of(frame))

    def rows(self, frames: Iterable[Frame | Entry]) -> Iterator[FrameRow | Entry]:
        """A row for each frame; what comes between frames as it is."""
        for frame in frames:
            yield self.row(frame) if isinstance(frame, Frame) else frame


def _between(since: int | None, until: int | None) -> int | None:
    return None if since is None or until is None else until - since
