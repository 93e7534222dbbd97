"""What a cancel means for its session: the prompts that it hits, and the permissions that are then owed.

`cancellations` has the arithmetic, and `cancellation.findings` what the ends show about the two sides; this
module hands messages to both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from acp_trace.analyze import facts
from acp_trace.analyze.cancellation import findings as cancelled
from acp_trace.analyze.cancellation.cancellations import MOST, Cancel, Cancellations
from acp_trace.analyze.exchanges import Exchanges, Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.findings.unanswered import Unanswered
from acp_trace.analyze.state import PermissionState, SessionState, TurnState
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, cancelled_id
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED


class Cancelling:
    """Processes requests, cancels and their ends, in frame order."""

    def __init__(self, findings: Findings, exchanges: Exchanges) -> None:
        self._findings = findings
        self._exchanges = exchanges
        self._cancellations = Cancellations()
        self._due: dict[int, tuple[Open, int]] = {}  #: permissions owed `cancelled`, with the cancel's frame
        self._ending: dict[str, int] = {}  #: the last request that ends a session, by its id

    def request(self, exchange: Open) -> None:
        """Process a request of either side."""
        if exchange.sender == "client" or self._exchanges.has_client_responses:
            self._cancellations.request(exchange)
        if exchange.method in methods.ENDERS and exchange.session_id is not None:
            self._ending[exchange.session_id] = exchange.frame

    def of_session(self, frame: int, t: int, session: SessionState | None, version: int | None) -> None:
        """Process a session/cancel of the client; it aims at every open prompt of its session."""
        session_id = None if session is None else session.id
        if session is None or not session.open_turns:
            self._cancellations.cancel(methods.CANCEL, frame, t, "client", session_id, None)
            if session is not None:
                session.stray_cancel = frame
            return
        oldest = session.open_turns.oldest
        for turn in islice(session.open_turns, MOST):
            _, target = session.prompts[turn.frame]
            queued = turn is not oldest
            self._cancellations.cancel(
                methods.CANCEL, frame, t, "client", session_id, target, session, turn, queued=queued
            )
        if self._exchanges.has_client_responses:
            for exchange in session.open_permissions.values():
                self._due[exchange.frame] = exchange, frame
            if version != 2:  # in version 2 the agent withdraws its requests itself (v2/prompt-lifecycle)
                session.open_permissions.clear()

    def of_request(
        self, frame: int, t: int, sender: str, message: Message, sessions: Mapping[str, SessionState]
    ) -> None:
        """Process a $/cancel_request; it aims at its own sender's request with this id."""
        named = cancelled_id(message)
        target = None if named is None else self._exchanges.open(sender, named)
        session_id = None if target is None else target.session_id
        session, turn = sessions.get(session_id or ""), None
        if target is not None and session is not None and target.frame in session.prompts:
            turn, _ = session.prompts[target.frame]
        kind = methods.CANCEL_REQUEST
        self._cancellations.cancel(kind, frame, t, sender, session_id, target, session, turn)

    def permission_answered(self, permission: PermissionState) -> None:
        """Process the answer to a permission."""
        exchange = permission.asked
        exchange.said_cancelled = permission.outcome == CANCELLED
        if exchange.frame in self._due:
            _, cancel_frame = self._due.pop(exchange.frame)
            answer = CANCELLED if exchange.error_code == REQUEST_CANCELLED else permission.outcome
            cancelled.permission(exchange, cancel_frame, answer, self._findings)

    def settled(self, exchange: Open, turn: TurnState, t: int, version: int | None) -> None:
        """Record that a turn settled."""
        exchange.said_cancelled = turn.stop_reason == CANCELLED
        self._judge(self._cancellations.settled(exchange, turn, t), version)

    def response(self, exchange: Open, t: int, version: int | None) -> None:
        """Process a response, after all other parts have."""
        if exchange.method == methods.CANCEL and exchange.outcome == "error":
            self._cancellations.refused(exchange.frame)
            self._due = {frame: due for frame, due in self._due.items() if due[1] != exchange.frame}
        self._judge(self._cancellations.response(exchange, t), version)

    def rows(self) -> Iterator[facts.Cancellation | facts.Cascade]:
        """Yield all cancellations with their cascades, in their present state."""
        return self._cancellations.rows()

    @property
    def all(self) -> Sequence[Cancel]:
        """Return all cancels so far, in order; later ones are appended to the same list."""
        return self._cancellations.all

    def fresh(self) -> list[facts.Cancellation]:
        """Return the cancels that began or settled since the last call."""
        return self._cancellations.fresh()

    def at_end(self, findings: Findings, unanswered: Unanswered, version: int | None) -> None:
        """Report what is wrong if nothing more comes."""
        for cancel in self._cancellations.unsettled():
            cancelled.unsettled(cancel, findings, unanswered)
        for exchange, cancel_frame in self._due.values() if version != 2 else ():
            cancelled.permission(exchange, cancel_frame, "unanswered", findings)
            findings.follows("never-answered", exchange.frame, exchange.frame)

    def _judge(self, cancels: list[Cancel], version: int | None) -> None:
        if cancels and (target := cancels[0].target) is not None:
            ended = self._ending.get(cancels[0].session_id or "", 0) > target.frame
            fastest = self._exchanges.fastest.get(target.answerer, 0)
            cancelled.settled(
                cancels,
                self._findings,
                ended=ended,
                version=version,
                fastest=fastest,
                loose=self._exchanges.loose,
            )
