"""Turns without output, overlapping turns, and what version 2 requires of a turn (prompt-lifecycle)."""

from __future__ import annotations

from acp_trace.analyze.cancellation.findings import CROSSING_NS
from acp_trace.analyze.contradictions.rules import Answered, Asked, RuleContext, Rules, Updated
from acp_trace.analyze.state import SessionState, TurnState
from acp_trace.protocol import methods, updates
from acp_trace.protocol.outcomes import CANCELLED, REQUEST_CANCELLED, STOP_REASONS
from acp_trace.protocol.shapes.judge import one_of
from acp_trace.trace.durations import duration
from acp_trace.trace.jsontext import short

#: A turn after a cancel without a target may have been cancelled instead, if it is this many times shorter
#: than each of the latest other turns.
_SOONER, _LATEST = 4, 20
_STOP_REASONS_2 = tuple(row.reason for row in STOP_REASONS if "2" in row.stages)


class TurnRules(Rules):
    """A turn from its prompt to its end."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._beside: dict[int, TurnState] = {}  #: the turn that was open at a prompt, by the prompt's frame
        self._closed: dict[str, Asked] = {}  #: requests that end a session during a turn
        self._homeless: int | None = None  #: a prompt for a session that does not exist
        self._unasked: dict[str, int] = {}  #: prompts that were sent as notifications, by session
        self._running: set[str] = set()  #: sessions of version 2 that reported it since their prompt
        self._accepted: dict[str, tuple[str, int]] = {}  #: the accepted message's id, and the answer's frame
        #: Ids of the user's messages that were sent back; None: a message without an id, which may be any.
        self._echoed: dict[str, set[str | None]] = {}
        self.requests = {
            methods.PROMPT: self._prompts,
            **dict.fromkeys((methods.CLOSE, methods.ARCHIVE), self._closes),
        }
        self.answers = {methods.PROMPT: self._answered}
        self._shown: dict[str, int] = {}  #: the last frame of a session that showed something
        self._unread = 0  #: the last line of the agent that could not be read
        self.updates = dict.fromkeys(updates.BY_KIND.keys() - _QUIET, self._updated)

    def _session(self, session_id: str | None) -> SessionState | None:
        return self.known.sessions.all.get(session_id or "")

    def _prompts(self, asked: Asked) -> None:
        session = self._session(asked.session_id)
        if session is None:
            self._homeless = self._homeless or asked.frame
            return
        if asked.frame not in session.prompts:
            self._unasked[session.id] = asked.frame
        oldest = session.open_turns.oldest
        if oldest is not None and oldest.frame != asked.frame:
            self._beside[asked.frame] = oldest

    def _closes(self, asked: Asked) -> None:
        """Expect what is open to be cancelled, as after session/cancel (session-setup)."""
        if (session := self._session(asked.session_id)) is not None and session.open_turns:
            self._closed[session.id] = asked

    def _check_closed(self, session: SessionState, turn: TurnState, frame: int) -> None:
        closed = self._closed.get(session.id)
        if closed is None or closed.frame < turn.frame or turn.stop_reason in (None, CANCELLED):
            return
        took = (turn.ended_t or turn.t) - closed.t
        if took >= CROSSING_NS and not self._is_taken_back(turn.frame):
            text = (
                f"{turn.stop_reason}, not cancelled, {duration(took)} after {closed.method} #{closed.frame}"
            )
            self.say("cancel-other-stop-reason", "agent", frame, session.id, text)

    def _answered(self, answer: Answered) -> None:
        session, beside = self._session(answer.session_id), self._beside.pop(answer.asked.frame, None)
        if session is None:
            return
        if answer.is_error:
            if beside is not None and answer.error_code != REQUEST_CANCELLED:
                text = f"the prompt was refused while turn {beside.index} (#{beside.frame}) was still open"
                self.say("prompt-overlaps", "client", answer.frame, session.id, text)
        elif self.version == 2:
            if isinstance(message := answer.result.get("messageId"), str):
                self._accepted[session.id] = message, answer.frame
        else:
            self._ended(session, answer.asked.frame, answer.frame)

    def _ended(self, session: SessionState, prompt: int, frame: int) -> None:
        """Record that the turn of a prompt has ended without an error."""
        turn = next((each for each in reversed(session.turns[-_LATEST:]) if each.frame == prompt), None)
        if turn is not None:
            self._check_closed(session, turn, frame)
        if turn is None or turn.stop_reason != "end_turn":
            return
        shown = max(self._shown.get(session.id, 0), self._unread)
        asked = any(permission.turn == turn.index for permission in session.permissions[-1:])
        if turn.first_output_ns is None and not (shown > prompt or asked or session.requests.get(turn.index)):
            text = f"turn {turn.index} ended with end_turn but without any output"
            self.say("turn-empty", "agent", frame, session.id, text)
        if turn.stray_cancel is not None:
            self._check_idle_cancel(session, turn, turn.stray_cancel)

    def _check_idle_cancel(self, session: SessionState, turn: TurnState, cancel: int) -> None:
        """Report a turn that was cut short, perhaps by a cancel that came before its prompt."""
        others = [
            each.duration_ns for each in session.turns[-_LATEST:] if each.duration_ns and each is not turn
        ]
        took = turn.duration_ns or 0
        if others and took * _SOONER < min(others):
            next_turn = f"the next turn (#{turn.frame}) ended after {duration(took)}"
            text = f"session/cancel while no prompt was open; {next_turn}"
            self.say("cancel-idle", "agent", cancel, session.id, text)

    def _updated(self, updated: Updated) -> None:
        session, kind = updated.session, updated.kind
        if kind == updates.STATE:
            self._state(updated)
        elif kind not in updates.USER_MESSAGES:
            self._shown[session.id] = updated.frame
        if kind in updates.OF_TURN:
            self._works(session, kind, updated.frame)
        if kind in updates.USER_MESSAGES and self.version == 2:
            self._echoed.setdefault(session.id, set()).add(updated.update.message_id)

    def _works(self, session: SessionState, kind: str, frame: int) -> None:
        is_history = session.turns or session.history
        if not is_history and self.version != 2 and session.opened_by in _FRESH:
            text = f"{kind} before the first prompt of the session"
            cause = self._unasked.get(session.id) or self._homeless
            cause = cause or self.known.findings.lost.naming("client", session.id, methods.PROMPT)
            self.say("update-before-prompt", "agent", frame, session.id, text, consequence_of=cause)

    def unread(self, frame: int) -> None:
        """Record an unreadable line of the agent: its output is unknown."""
        self._unread = frame

    def _is_taken_back(self, request: int) -> bool:
        aimed = (one for one in reversed(self.known.sessions.cancels) if one.frame > request)
        return any(one.target is not None and one.target.frame == request for one in aimed)

    # -- version 2

    def _state(self, updated: Updated) -> None:
        session, state = updated.session, updated.update.state
        if self.version != 2 or session.history.loading:
            return
        if state in ("running", "requires_action", None):  # without a state it may be either
            self._running.add(session.id)
        elif state == "idle" and updated.frame == _last_settled(session):
            self._ends(session, updated)

    def _ends(self, session: SessionState, updated: Updated) -> None:
        reason = updated.update.stop_reason
        self._ended(session, session.settled_turns[-1].frame, updated.frame)
        if reason is not None and reason not in _STOP_REASONS_2 and not reason.startswith("_"):
            text = f"unknown stop reason {short(reason)}; an agent's own begins with an underscore"
            self.say("stop-reason-unknown", "agent", updated.frame, session.id, text,
                     path="/params/update/stopReason", expected=one_of(_STOP_REASONS_2))  # fmt: skip
        if reason is None:
            text, path = "no stop reason", "/params/update/stopReason"
            self.say(
                "stop-reason-unknown", "agent", updated.frame, session.id, text, path=path, severity="note"
            )
        left = [
            one
            for one in session.open_permissions.values()
            if one.sender == "agent" and one.outcome == "open" and not self._is_taken_back(one.frame)
        ]
        if reason == "cancelled" and left:
            text = f"{left[0].method} #{left[0].frame} is still open after the cancelled turn"
            self.say("requests-not-cancelled", "agent", updated.frame, session.id, text)
        was_running = session.id in self._running
        self._running.discard(session.id)
        message, frame = self._accepted.pop(session.id, (None, 0))
        if message is None:
            return  # the idle state may be older than the prompt
        if not was_running:
            text = "the turn ended with an idle state, but was never running"
            self.say("state-skipped", "agent", updated.frame, session.id, text)
        if not {message, None} & self._echoed.get(session.id, set()):
            text = f"message {short(message)} was accepted in #{frame}, but not sent back"
            self.say("prompt-not-echoed", "agent", updated.frame, session.id, text)


#: Updates that show the user nothing new.
_QUIET = {updates.USAGE, updates.SESSION_INFO, "available_commands_update"}
#: How a session without a history was opened: a fork may replay the history of its parent.
_FRESH = (methods.NEW, methods.RESUME)


def _last_settled(session: SessionState) -> int | None:
    return session.settled_turns[-1].settled_frame if session.settled_turns else None
