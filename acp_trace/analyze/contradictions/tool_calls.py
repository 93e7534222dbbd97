"""Tool calls that do not end with their turn, go on after they had ended, or begin again (tool-calls)."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, RuleContext, Rules, Updated
from acp_trace.analyze.state import SessionState
from acp_trace.protocol import methods, updates
from acp_trace.trace.jsontext import short

_END_TURN = "end_turn"
_GOES_ON = ("pending", "in_progress")


class ToolCallRules(Rules):
    """From a tool_call to its last status. What is replayed is history, and judged where it was made."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._running: dict[
            str, dict[str, int]
        ] = {}  #: by session: the frame that announced a call, by its id
        self._ended: dict[tuple[str, str], int] = {}
        self.updates = {
            updates.TOOL_CALL: self._begins,
            updates.TOOL_CALL_UPDATE: self._goes_on,
            updates.STATE: self._state,
        }
        self.answers = {methods.PROMPT: self._prompt_answered}

    def _begins(self, told: Updated) -> None:
        call = told.update.tool_call_id
        if call is None or told.session.loading:
            return
        key = told.session.id, call
        if (ended := self._ended.pop(key, None)) is not None:
            text = f"tool call {short(call)} begins again, after it had ended in #{ended}"
            self.say("tool-call-id-reused", "agent", told.frame, told.session.id, text, call,
                     path="/params/update/toolCallId")  # fmt: skip
        self._follow(told, call)

    def _goes_on(self, told: Updated) -> None:
        call, status = told.update.tool_call_id, told.update.status
        if call is None or told.session.loading:
            return
        ended = self._ended.get((told.session.id, call))
        if ended is not None and status is not None and status not in updates.TOOL_CALL_ENDS:
            text = f"tool call {short(call)} is {status}, after it had ended in #{ended}"
            self.say("tool-call-restarted", "agent", told.frame, told.session.id, text, call,
                     path="/params/update/status")  # fmt: skip
            return
        self._follow(told, call)

    def _follow(self, told: Updated, call: str) -> None:
        running, status = self._running.setdefault(told.session.id, {}), told.update.status
        if status is not None and status not in _GOES_ON:
            running.pop(call, None)  # what another word means is not known: perhaps the end
        if status in updates.TOOL_CALL_ENDS:
            self._ended.setdefault((told.session.id, call), told.frame)
        elif (told.session.id, call) not in self._ended and (status is None or status in _GOES_ON):
            running.setdefault(call, told.frame)

    def _prompt_answered(self, answer: Answered) -> None:
        session = self.known.sessions.all.get(answer.session_id or "")
        if self.version != 2 and session is not None and not session.open_turns:
            self._turn_ends(session, answer.result.get("stopReason"), answer.frame)

    def _state(self, told: Updated) -> None:
        # Version 2 says what goes on in the background.
        if told.update.state == "idle" and not told.update.members.get("background"):
            self._turn_ends(told.session, told.update.stop_reason, told.frame)

    def _turn_ends(self, session: SessionState, reason: object, frame: int) -> None:
        running = self._running.pop(session.id, {})
        if reason == _END_TURN:
            for call, began in running.items():
                text = f"tool call {short(call)} had no end when its turn ended with {_END_TURN} (#{frame})"
                self.say("tool-call-unfinished", "agent", began, session.id, text)
