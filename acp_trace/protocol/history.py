"""Which updates of a session are history: the only rule for it, for the analyser, comparisons and replays.

History happened earlier and is sent again, before the answer to the request that opens the session: a load, a
fork (the copy's history), a resume that asks for it (`replayFrom`, draft 2). A resume that does not
ask must not get any. If an agent sends updates nevertheless, beyond the session's state, they only count as
work if a turn of the session is open: then they belong to that turn (docs/report.md, Sessions).
"""

from __future__ import annotations

from acp_trace.protocol import methods, updates

#: Requests of the client before whose answer an agent may send history.
REQUESTS = (*methods.REOPENERS, methods.FORK)


class HistoryRequests:
    """The open requests of one session before whose answer its agent may send history, by their frames."""

    __slots__ = ("loading", "resuming")

    def __init__(self) -> None:
        self.loading: set[int] = set()  #: while open, all updates are history, and belong to no turn
        self.resuming: set[int] = set()  #: resumes that do not ask for history

    def __bool__(self) -> bool:
        return bool(self.loading or self.resuming)

    def begin(self, frame: int, method: str, params: dict[str, object]) -> bool:
        """Process a request that opens this session, or copies one to it; return whether it belongs here."""
        if method == methods.FORK or methods.replays_history(method, params):
            self.loading.add(frame)
        elif method == methods.RESUME:
            self.resuming.add(frame)
        else:
            return False
        return True

    def end(self, frame: int) -> None:
        """Record that a request was answered."""
        self.loading.discard(frame)
        self.resuming.discard(frame)

    def of(self, kind: str, *, has_turn: bool) -> int | None:
        """Return the frame of the request for which an update of this kind is history now; None if it is new.

        `has_turn`: whether a turn of the session is open.
        """
        if self.loading:
            return min(self.loading)
        if self.resuming and not has_turn and kind in updates.OF_TURN:
            return min(self.resuming)
        return None
