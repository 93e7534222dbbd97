"""A frame in a few words: `session/update tool_call edit`, `answer to session/new`. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.protocol.message import MessageKind, read
from acp_trace.protocol.payloads import update_in
from acp_trace.trace.entries import Entry

_ODD = {MessageKind.TEXT: "a line that is not JSON", MessageKind.BYTES: "a line that is not UTF-8"}


@dataclass(frozen=True, slots=True)
class FrameEvent:
    """One frame in a few words: its sender and its content."""

    frame: int
    sender: str
    what: str


def frame_event(number: int, entry: Entry) -> FrameEvent:
    """Return the words for a frame known only by its entry. `number`: the frame's; it has a sender."""
    message = read(entry.data)
    what = message.method or ("an answer" if message.kind == "response" else "a line")
    return FrameEvent(number, entry.sender or "agent", f"{what} {message.update}" if message.update else what)


def event_words(
    kind: MessageKind, method: str | None, update: str | None, text: bytes, *, is_answer: bool
) -> str:
    """Return the words for a frame. `method`: a response has its request's. `text`: the frame's, or empty."""
    if kind is MessageKind.RESPONSE:
        return f"answer to {method}" if is_answer else "a response without a request"
    if method is None:
        return _ODD.get(kind, "JSON that is not a message")
    if update is None:
        return method
    words = [method, update]
    if text and update.startswith("tool_call"):
        call = update_in(text)
        words += filter(None, (call.kind, call.status))
    return " ".join(words)
