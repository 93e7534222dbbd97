"""Titles that only session/list tells, and sessions that have none."""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, RuleContext, Rules
from acp_trace.protocol import methods
from acp_trace.trace.jsontext import as_object, short


class TitleRules(Rules):
    """What session/list says of the sessions of this trace."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self.answers = {methods.LIST: self._listed}

    def _listed(self, answer: Answered) -> None:
        sessions = answer.result.get("sessions")
        for at, info in enumerate(sessions if isinstance(sessions, list) else ()):
            row = as_object(info)
            named, title = row.get("sessionId"), row.get("title")
            session = self.known.sessions.all.get(named) if isinstance(named, str) else None
            if session is None or session.metadata.was_told("title"):
                continue
            path = f"/result/sessions/{at}/title"
            if isinstance(title, str) and title:
                text = f"title {short(title)} comes only from session/list, not from an update"
                self.say("title-only-listed", "agent", answer.frame, session.id, text, path=path)
            elif any(turn.settled_frame is not None for turn in session.turns):
                text = f"session {short(session.id)} had a turn, but has no title"
                self.say("session-untitled", "agent", answer.frame, session.id, text, path=path)
