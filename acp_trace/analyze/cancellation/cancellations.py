"""Cancellations: the target of a cancel, how it ended, and what else was under way.

Rules: docs/report.md, Cancellation. Nothing is computed while updates stream by: a cancel keeps the number of
updates so far, and the difference is computed when its target settles.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.state import SessionState, TurnState
from acp_trace.protocol import methods
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED

#: Open prompts and open requests that one cancel looks at, and cancels per target. Only a hostile trace has
#: more, to slow us down.
MOST = 50


class Cancel(msgspec.Struct, gc=False):
    """One cancel and one target of it."""

    kind: str
    frame: int
    t: int
    sender: str
    session_id: str | None
    target: Open | None = None
    turn: TurnState | None = None  #: if the target is a prompt
    session: SessionState | None = None
    seen: int = 0  #: updates of the session before the cancel
    open: list[Open] = msgspec.field(default_factory=list)  #: requests of the session, open at the cancel
    start: int = 0  #: the index of the first request after the cancel in the session's list
    stop: int | None = None  #: the index behind the last of them, once settled
    settled_frame: int | None = None
    settle_ns: int | None = None
    quiesce_ns: int | None = None
    updates: int = 0
    queued: bool = False  #: its prompt waited behind another prompt of the session

    @property
    def outcome(self) -> str:
        """Return how it ended: cancelled, completed, error, unanswered or no_target."""
        if self.target is None:
            return "no_target"
        if self.turn is not None:
            return self.turn.outcome
        return _outcome(self.target, cancelled=self.target.answered_cancelled)


class Cancellations:
    """Processes requests, cancels and settlements, in frame order."""

    def __init__(self) -> None:
        self.all: list[Cancel] = []
        self._fresh: list[Cancel] = []
        self._open: dict[str, dict[int, Open]] = {}  #: by session, by frame
        self._sent: dict[str, list[Open]] = {}  #: by session
        self._under_way: dict[str, int] = {}  #: cancels whose target is an open prompt, by session
        self._aimed: dict[int, list[Cancel]] = {}  #: by the frame of the target, until it settles

    def request(self, exchange: Open) -> None:
        """Process a request of either side."""
        if exchange.session_id is not None:
            self._open.setdefault(exchange.session_id, {})[exchange.frame] = exchange
            self._sent.setdefault(exchange.session_id, []).append(exchange)
            exchange.in_cascade = (
                exchange.sender == "agent" and self._under_way.get(exchange.session_id, 0) > 0
            )

    def cancel(
        self,
        kind: str,
        frame: int,
        t: int,
        sender: str,
        session_id: str | None,
        target: Open | None,
        session: SessionState | None = None,
        turn: TurnState | None = None,
        *,
        queued: bool = False,
    ) -> None:
        """Process a cancel and one target of it, or none."""
        if target is not None and len(self._aimed.get(target.frame, ())) >= MOST:
            return
        made = Cancel(kind, frame, t, sender, session_id, target, turn, session, queued=queued)
        self.all.append(made)
        self._fresh.append(made)
        if target is None:
            return
        self._aimed.setdefault(target.frame, []).append(made)
        made.seen = session.seen if session else 0
        if target.session_id is not None:
            under_way = islice(self._open.get(target.session_id, {}).values(), MOST)
            made.open = [exchange for exchange in under_way if exchange is not target]
            made.start = len(self._sent.get(target.session_id, ()))
            if target.method == methods.PROMPT:
                self._under_way[target.session_id] = self._under_way.get(target.session_id, 0) + 1
                for exchange in made.open:
                    exchange.in_cascade = exchange.in_cascade or exchange.sender != target.sender

    def refused(self, frame: int) -> None:
        """Record that a cancel that was sent as a request was refused: then it had no target."""
        for target, aimed in list(self._aimed.items()):
            left = [cancel for cancel in aimed if cancel.frame != frame]
            for cancel in aimed:
                if cancel.frame == frame:
                    cancel.target = cancel.turn = None
            if left:
                self._aimed[target] = left
            else:
                del self._aimed[target]

    def response(self, exchange: Open, t: int) -> list[Cancel]:
        """Process a response; return the cancels that it settles, or an internal one. Not for prompts."""
        if exchange.session_id is not None:
            self._open.get(exchange.session_id, {}).pop(exchange.frame, None)
        frame = exchange.response_frame or exchange.frame
        if exchange.method == methods.PROMPT:  # its turn settles it, unless the turn ended before the cancel
            return self._settled(exchange, frame, t, turns=False)
        internal = exchange.error_code == REQUEST_CANCELLED and not exchange.in_cascade
        return self._settled(exchange, frame, t) or self._internal(exchange, frame, t, None, internal)

    def settled(self, exchange: Open, turn: TurnState, t: int) -> list[Cancel]:
        """Record that a turn settled; return the cancels with this target, or an internal one."""
        frame = turn.settled_frame or exchange.frame
        internal = turn.outcome == CANCELLED
        aimed = self._settled(exchange, frame, t)
        for cancel in aimed:
            if cancel.turn is not None and cancel.session is not None:
                cancel.updates, cancel.quiesce_ns = _updates(cancel, cancel.session)
        return aimed or self._internal(exchange, frame, t, turn, internal)

    def unsettled(self) -> Iterator[Cancel]:
        """Yield the cancels whose target is still open."""
        for aimed in self._aimed.values():
            yield from aimed

    def _settled(self, exchange: Open, frame: int, t: int, *, turns: bool = True) -> list[Cancel]:
        """Settle the cancels aimed at a request; without `turns`, only those that do not aim at its turn."""
        cancels = self._aimed.pop(exchange.frame, [])
        aimed = [cancel for cancel in cancels if turns or cancel.turn is None]
        left = [cancel for cancel in cancels if not turns and cancel.turn is not None]
        if left:
            self._aimed[exchange.frame] = left
        if exchange.session_id in self._under_way:
            self._under_way[exchange.session_id] -= len(aimed) if exchange.method == methods.PROMPT else 0
        self._fresh += aimed
        for cancel in aimed:
            cancel.settled_frame, cancel.settle_ns = frame, t - cancel.t
            cancel.stop = len(self._sent.get(exchange.session_id or "", ()))
        return aimed

    def _internal(
        self, exchange: Open, frame: int, t: int, turn: TurnState | None, internal: bool
    ) -> list[Cancel]:
        if not internal:
            return []
        made = Cancel("internal", frame, t, exchange.answerer, exchange.session_id, exchange, turn)
        made.settled_frame, made.settle_ns = frame, 0
        made.start = made.stop = len(self._sent.get(exchange.session_id or "", ()))
        self.all.append(made)
        self._fresh.append(made)
        return [made]

    def fresh(self) -> list[facts.Cancellation]:
        """Return the cancels that began or settled since the last call."""
        fresh, self._fresh = self._fresh, []
        return [_fact(cancel) for cancel in fresh]

    def rows(self) -> Iterator[facts.Cancellation | facts.Cascade]:
        """Yield all cancels in their present state."""
        for cancel in self.all:
            yield _fact(cancel)
            yield from self._cascade(cancel)

    def _cascade(self, cancel: Cancel) -> Iterator[facts.Cascade]:
        target = cancel.target
        if target is None:
            return
        sent = self._sent.get(target.session_id or "", [])
        stop = len(sent) if cancel.stop is None else cancel.stop
        after = [
            exchange
            for exchange in sent[cancel.start : min(stop, cancel.start + MOST)]
            if exchange.sender != target.sender
        ]
        for exchange in (*cancel.open, *after):
            answered = None if exchange.latency_ns is None else exchange.t + exchange.latency_ns - cancel.t
            yield facts.Cascade(
                session_id=cancel.session_id,
                cancel_frame=cancel.frame,
                target_frame=target.frame,
                frame=exchange.frame,
                sender=exchange.sender,
                method=exchange.method,
                outcome=_outcome(exchange, cancelled=exchange.said_cancelled),
                settle_ns=answered,
            )


def _outcome(exchange: Open, *, cancelled: bool) -> str:
    """Return how a request ended; `cancelled`: whether its result says so."""
    if exchange.outcome == "open":
        return "unanswered"
    if exchange.error_code == REQUEST_CANCELLED or cancelled:
        return CANCELLED
    return "completed" if exchange.outcome == "result" else "error"


def _updates(cancel: Cancel, session: SessionState) -> tuple[int, int | None]:
    """Return the number of updates since the cancel, and the time from the cancel to the last one (ns)."""
    updates = session.seen - cancel.seen
    return updates, session.last_update_t - cancel.t if updates else None


def _fact(cancel: Cancel) -> facts.Cancellation:
    target, turn, session = cancel.target, cancel.turn, cancel.session
    updates, quiesce = cancel.updates, cancel.quiesce_ns
    if cancel.settled_frame is None and turn is not None and session is not None:
        updates, quiesce = _updates(cancel, session)
    return facts.Cancellation(
        session_id=cancel.session_id,
        kind=cancel.kind,
        frame=cancel.frame,
        t_ns=cancel.t,
        sender=cancel.sender,
        target_frame=target.frame if target else None,
        target_method=target.method if target else None,
        target_id=target.id if target else None,
        outcome=cancel.outcome,
        settled_frame=cancel.settled_frame,
        settle_ns=cancel.settle_ns,
        quiesce_ns=quiesce,
        updates_after_cancel=updates,
        late_updates=turn.late if turn else 0,
    )
