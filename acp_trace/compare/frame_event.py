"""A frame's entry -> what stands in it, in a few words. Pure."""

from __future__ import annotations

from acp_trace.compare.result import FrameEvent
from acp_trace.protocol.message import read
from acp_trace.trace.entries import Entry


def frame_event(number: int, entry: Entry) -> FrameEvent:
    """`session/update plan`, `an answer`. `number`: that of the frame; it has a sender."""
    message = read(entry.data)
    what = message.method or ("an answer" if message.kind == "response" else "a line")
    return FrameEvent(number, entry.sender or "agent", f"{what} {message.update}" if message.update else what)
