"""Which recorded notification a live one is: the next one of its session and method."""

from __future__ import annotations

from collections.abc import Callable

from acp_trace.protocol.message import Kind, Message, cancelled_id
from acp_trace.replay.plan import Plan
from acp_trace.replay.rewriting import CANCELS


class Notices:
    """Hands out the recorded notifications of the live side, each once, in their order."""

    def __init__(self, plan: Plan, frame_of: Callable[[str | None], int | None]) -> None:
        self._recording = plan.recording
        self._frame_of = frame_of  #: the recorded request with a live id
        self._left: dict[tuple[str | None, str], list[int]] = {}
        for said in reversed(plan.recording.said):
            if said.sender == plan.live and said.kind is Kind.NOTIFICATION:
                self._left.setdefault((said.session, said.method or ""), []).append(said.frame)

    def session(self, message: Message, session: str | None) -> str | None:
        """The session of a notification: of one that takes a request back, that of the request."""
        if session is not None or message.method not in CANCELS:
            return session
        frame = self._frame_of(cancelled_id(message))
        aimed = None if frame is None else self._recording.at(frame).session
        return aimed if self._left.get((aimed, message.method)) else None

    def take(self, message: Message, session: str | None) -> int | None:
        """The recorded notification for a live one; None where there are no more."""
        left = self._left.get((session, message.method or ""))
        return left.pop() if left else None
