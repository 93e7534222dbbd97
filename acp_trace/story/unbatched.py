"""The messages of a batch, as if each had come in a frame of its own, for showing a conversation. Pure.

Other frames, and messages already taken out of a batch, pass unchanged. Facts have plain frame numbers. A
message of a batch has a place in it (`BatchPlace`), so that messages of one frame stay different.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from acp_trace.analyze.batches import BatchPlace
from acp_trace.analyze.facts import Exchange
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import Message, MessageKind, batch
from acp_trace.trace.entries import Entry

_INVALID, _RESPONSE = MessageKind.INVALID, MessageKind.RESPONSE
_Line = TypeVar("_Line", Frame, Frame | Entry)


def unbatched(lines: Iterable[_Line], exchanges: Iterable[Exchange]) -> Iterator[_Line]:
    """Yield the lines, with a frame for each message of a batch. `exchanges`: of the same trace."""
    answered: dict[tuple[int | None, str], Exchange] = {}
    for line in lines:
        messages = batch(line.data) if _may_be_batch(line) else None
        if messages is None or isinstance(line, Entry):
            yield line
            continue
        answered = answered or {(one.response_frame, one.id): one for one in exchanges}
        for item, message in enumerate(messages):
            yield _frame(line, item, message, answered)


def _may_be_batch(line: Frame | Entry) -> bool:
    return isinstance(line, Frame) and line.kind is _INVALID and not isinstance(line.frame, BatchPlace)


def _frame(of: Frame, item: int, message: Message, answered: dict[tuple[int | None, str], Exchange]) -> Frame:
    request = answered.get((of.frame, message.id or "")) if message.kind is _RESPONSE else None
    return Frame(
        BatchPlace(of.frame, item, of.sender),
        of.t_ns,
        of.sender,
        message.kind,
        message.method if request is None else request.method,
        message.id,
        None if request is None else request.frame,
        message.session_id if request is None else request.session_id,
        message.update,
        len(message.text),
        message.text,
        of.partial,
        of.stream,
    )
