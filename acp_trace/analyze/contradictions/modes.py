"""Modes that a session does not have (session-modes). `analyze.modes` keeps the modes of a session."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Asked, RuleContext, Rules, Updated
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.state import SessionState
from acp_trace.protocol import methods, updates
from acp_trace.protocol.shapes.judge import one_of
from acp_trace.trace.jsontext import short


class ModeRules(Rules):
    """Modes that a client requests, or that an agent names as the current one."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self.requests = {methods.SET_MODE: self._asked}
        self.updates = {updates.MODE: self._changed}

    def _asked(self, asked: Asked) -> None:
        session, mode = self.known.sessions.all.get(asked.session_id or ""), asked.params.get("modeId")
        if session is None or not isinstance(mode, str):
            return
        path = "/params/modeId"
        self._check(session, mode, asked.sender, asked.frame, path, None)
        # If options replace the modes, agents may accept the values of the options.
        has_none = session.opened_by == methods.NEW and session.modes.choices is None
        if self.version == 1 and has_none and not session.config.values:
            text = f"mode {short(mode)}, but the session has no modes"
            self.say("mode-unknown", asked.sender, asked.frame, session.id, text, mode,
                     path=path, severity="note")  # fmt: skip

    def _changed(self, updated: Updated) -> None:
        mode = updated.update.members.get("currentModeId")
        if isinstance(mode, str):
            self._check(
                updated.session, mode, "agent", updated.frame, "/params/update/currentModeId", "warning"
            )

    def _check(
        self, session: SessionState, mode: str, blame: str, frame: int, path: str, severity: Severity | None
    ) -> None:
        choices = session.modes.choices
        if choices and mode not in choices:
            text = f"mode {short(mode)} is not one of the session's modes: {one_of(choices)}"
            self.say("mode-unknown", blame, frame, session.id, text, mode,
                     path=path, expected=one_of(choices), severity=severity)  # fmt: skip
