"""What stands in a frame, in a few words: `session/update tool_call edit`, `answer to session/new`. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.protocol.message import MessageKind, read
from acp_trace.protocol.payloads import update_in
from acp_trace.trace.entries import Entry

_ODD = {MessageKind.TEXT: "a line that is not JSON", MessageKind.BYTES: "a line that is not UTF-8"}


@dataclass(frozen=True, slots=True)
class FrameEvent:
    """What stands in one frame, in a few words: sender, and what it is."""

    frame: int
    sender: str
    what: str


def frame_event(number: int, entry: Entry) -> FrameEvent:
    """A frame of which only its entry is known. `number`: that of the frame; it has a sender."""
    message = read(entry.data)
    what = message.method or ("an answer" if message.kind == "response" else "a line")
    return FrameEvent(number, entry.sender or "agent", f"{what} {message.update}" if message.update else what)


def event_words(
    kind: MessageKind, method: str | None, update: str | None, text: bytes, *, is_answer: bool
) -> str:
    """What a frame is. `method`: of a response, that of its request. `text`: that of the frame, or empty."""
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
