"""The messages inside envelopes (`protocol.envelopes`), each as a frame after that of its envelope. Pure.

Everything else passes unchanged. Such a frame has the number of its envelope, with the sign `›`
(`EnvelopePlace`), and the session and the side that it has inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from acp_trace.analyze.batches import EnvelopePlace
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.inner_messages import InnerMessage, InnerMessages
from acp_trace.protocol import methods
from acp_trace.protocol.envelopes import DEEPEST, INNER_SENDER, carries
from acp_trace.protocol.message import MessageKind, read
from acp_trace.trace.entries import Entry

_Line = TypeVar("_Line", Frame, Frame | Entry)


def unwrapped(lines: Iterable[_Line], *, envelopes: bool = True) -> Iterator[_Line]:
    """Yield the lines, with a frame for each message inside an envelope. `envelopes`: whether to keep these.

    If not, only the innermost message remains, and unwrapping the result changes nothing.
    """
    unwrapper = Unwrapper()
    for line in lines:
        if isinstance(line, Entry):
            yield line
            continue
        inside = list(unwrapper.inside(line))
        if envelopes or not inside:
            yield line
        yield from inside if envelopes else inside[-1:]


class Unwrapper:
    """Makes frames of the messages that the frames of one trace carry. It needs all of them."""

    def __init__(self, envelopes: int = DEEPEST) -> None:
        self._messages = InnerMessages()
        self._envelopes = envelopes - 1
        self._deeper: Unwrapper | None = None

    def inside(self, frame: Frame) -> Iterator[Frame]:
        """Yield the frame of the message inside this frame, then of the message inside that, and so on."""
        if frame.kind is MessageKind.RESPONSE:
            if frame.answers is None or not _may_concern(frame.method):
                return
            carried = self._messages.response(frame.answers, read(frame.data), frame.session_id)
        elif _may_concern(frame.method):
            carried = self._messages.call(frame.frame, read(frame.data))
        else:
            return
        if carried is not None:
            yield (inner := _frame(frame, carried))
            if self._envelopes:
                self._deeper = self._deeper or Unwrapper(self._envelopes)
                yield from self._deeper.inside(inner)


def _may_concern(method: str | None) -> bool:
    return method in methods.OPENERS or carries(method) is not None


def _frame(of: Frame, carried: InnerMessage) -> Frame:
    message = carried.message
    return Frame(
        EnvelopePlace(of.frame),
        of.t_ns,
        INNER_SENDER[of.sender],
        message.kind,
        carried.answers or message.method,
        message.id,
        None if of.answers is None else EnvelopePlace(of.answers),
        carried.session_id,
        message.update,
        len(message.text),
        message.text,
        of.partial,
        of.stream,
    )
