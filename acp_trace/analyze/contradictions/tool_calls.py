"""Tool calls that outlast their turn, continue after their end, or begin again (tool-calls)."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, RuleContext, Rules, Updated
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import SessionState
from acp_trace.protocol import methods, updates
from acp_trace.trace.jsontext import short

_END_TURN = "end_turn"
_GOES_ON = ("pending", "in_progress")


class ToolCallRules(Rules):
    """A tool call from its announcement to its last status. History is judged where it was made."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._running: dict[
            str, dict[str, int]
        ] = {}  #: by session: the frame that announced a call, by its id
        self._ended: dict[tuple[str, str], int] = {}
        #: Calls that had not ended when their turn did: the frames of the call and of the turn's end.
        self._left: dict[tuple[str, str], tuple[int, int]] = {}
        self.updates = {
            updates.TOOL_CALL: self._begins,
            updates.TOOL_CALL_UPDATE: self._goes_on,
            updates.STATE: self._state,
        }
        self.answers = {methods.PROMPT: self._prompt_answered}

    def _begins(self, updated: Updated) -> None:
        call = updated.update.tool_call_id
        if call is None or self._is_history(updated, call):
            return
        key = updated.session.id, call
        if (ended := self._ended.pop(key, None)) is not None:
            text = f"tool call {short(call)} begins again, after it had ended in #{ended}"
            self.say("tool-call-id-reused", "agent", updated.frame, updated.session.id, text, call,
                     path="/params/update/toolCallId")  # fmt: skip
        self._running.setdefault(updated.session.id, {}).setdefault(call, updated.frame)
        self._follow(updated, call)

    def _goes_on(self, updated: Updated) -> None:
        call, status = updated.update.tool_call_id, updated.update.status
        if call is None or self._is_history(updated, call):
            return
        ended = self._ended.get((updated.session.id, call))
        if ended is not None and status is not None and status not in updates.TOOL_CALL_ENDS:
            text = f"tool call {short(call)} is {status}, after it had ended in #{ended}"
            self.say("tool-call-restarted", "agent", updated.frame, updated.session.id, text, call,
                     path="/params/update/status")  # fmt: skip
            return
        self._follow(updated, call)

    def _is_history(self, updated: Updated, call: str) -> bool:
        """Whether a call is only replayed; then its end is known, and no finding is added."""
        if updated.session.history.loading and updated.update.status in updates.TOOL_CALL_ENDS:
            load, key = max(updated.session.history.loading), (updated.session.id, call)
            ended = self._ended.get(key, 0)
            if updated.kind == updates.TOOL_CALL and ended > load:
                text = f"the history has another tool call {short(call)}, which had ended in #{ended}"
                self.say("tool-call-id-reused", "agent", updated.frame, updated.session.id, text, call,
                         path="/params/update/toolCallId")  # fmt: skip
            self._ended[key] = updated.frame
        # History after session/resume is a separate fault: `resume-replayed`.
        return updated.session.replays(updated.kind)

    def _follow(self, updated: Updated, call: str) -> None:
        running, status = self._running.setdefault(updated.session.id, {}), updated.update.status
        if status is None:
            return
        if status in _GOES_ON:
            running.setdefault(call, updated.frame)
            return
        running.pop(call, None)  # an unknown status may be the end
        self._left.pop((updated.session.id, call), None)
        if status in updates.TOOL_CALL_ENDS:
            self._ended.setdefault((updated.session.id, call), updated.frame)

    def _prompt_answered(self, answer: Answered) -> None:
        session = self.known.sessions.all.get(answer.session_id or "")
        if self.version != 2 and session is not None and not session.open_turns:
            self._turn_ends(session, answer.result.get("stopReason"), answer.frame)

    def _state(self, updated: Updated) -> None:
        # Version 2 names the calls that continue in the background.
        if updated.update.state == "idle" and not updated.update.members.get("background"):
            self._turn_ends(updated.session, updated.update.stop_reason, updated.frame)

    def _turn_ends(self, session: SessionState, reason: object, frame: int) -> None:
        running = self._running.pop(session.id, {})
        if reason == _END_TURN:
            self._left.update({(session.id, call): (began, frame) for call, began in running.items()})

    def at_end(self, findings: Findings) -> None:
        """Report calls that never ended, although their turn did."""
        for (session_id, call), (began, frame) in self._left.items():
            text = f"tool call {short(call)} had not ended when its turn ended with {_END_TURN} (#{frame})"
            self.say("tool-call-unfinished", "agent", began, session_id, text, findings=findings)
