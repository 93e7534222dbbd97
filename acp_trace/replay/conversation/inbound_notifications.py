"""Which recorded notification an inbound one matches: the next of its session and method. Pure."""

from __future__ import annotations

from collections.abc import Callable

from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, cancelled_id
from acp_trace.replay.plan.steps import Plan


class Notifications:
    """Hands out the recorded notifications of the peer, each once, in order."""

    def __init__(self, plan: Plan, frame_of: Callable[[str | None], int | None]) -> None:
        self._recording = plan.recording
        self._frame_of = frame_of  #: the recorded request with an id of the run
        self._left: dict[tuple[str | None, str], list[int]] = {}
        for message in reversed(plan.recording.messages):
            if message.sender == plan.peer and message.kind is MessageKind.NOTIFICATION:
                key = message.session, message.method or ""
                self._left.setdefault(key, []).append(message.frame)

    def session(self, message: Message, session: str | None) -> str | None:
        """Return the recorded session of a notification; for a cancel, that of the cancelled request."""
        if session is not None or message.method not in methods.CANCEL_REQUESTS:
            return session
        frame = self._frame_of(cancelled_id(message))
        aimed = None if frame is None else self._recording.at(frame).session
        return aimed if self._left.get((aimed, message.method)) else None

    def match(self, method: str, session: str | None) -> int | None:
        """Return the frame of the recorded notification for an inbound one; None if there are no more."""
        left = self._left.get((session, method))
        return left.pop() if left else None
