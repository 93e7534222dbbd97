"""Which updates of a trace are history, for a second pass over its frames when the facts are known. No I/O.

The rule is `protocol.history`, which the analyser also uses. The facts add what a frame alone does not show:
which session is the copy that a fork makes, before its answer names it, and how long turns were open.
"""

from __future__ import annotations

from collections import defaultdict

from acp_trace.analyze import facts
from acp_trace.protocol import methods
from acp_trace.protocol.history import REQUESTS, HistoryRequests
from acp_trace.protocol.payloads import part
from acp_trace.trace.entries import AFTER_ALL
from acp_trace.trace.intervals import Interval


class Replays:
    """The history of the sessions of a trace. Processes its requests and responses in order."""

    def __init__(self, of: facts.Facts) -> None:
        self._copies = {
            one.opened_frame: one.session_id for one in of.sessions if one.forked_from is not None
        }
        self._turns: dict[str, list[Interval]] = defaultdict(list)
        for turn in of.turns:
            self._turns[turn.session_id].append((turn.frame, turn.settled_frame or AFTER_ALL))
        #: Sessions by the frames of open requests; the requests of a batch have one frame.
        self._open: dict[int, list[str]] = {}
        self._of: dict[str, HistoryRequests] = defaultdict(HistoryRequests)

    def request(self, frame: int, method: str | None, session_id: str | None, text: bytes) -> str | None:
        """Process a request of the client; return the session whose history may follow, or None."""
        if method not in REQUESTS:
            return None
        number = int(frame)
        opened = self._copies.get(number) if method == methods.FORK else session_id
        if opened is not None and self._of[opened].begin(number, method, part(text, "params")):
            self._open.setdefault(number, []).append(opened)
        return opened

    def response(self, answers: int | None) -> None:
        """Process a response, by the frame of its request."""
        number = int(answers or 0)
        for session_id in self._open.pop(number, ()):
            self._of[session_id].end(number)

    def by(self, session_id: str, frame: int, kind: str) -> int | None:
        """Return the frame of the request for which an update of a session is history; None if it is new."""
        if not self._open or not (history := self._of[session_id]):
            return None
        has_turn = any(begin < frame <= end for begin, end in self._turns[session_id])
        return history.of(kind, has_turn=has_turn)
