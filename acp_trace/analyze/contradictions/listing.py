"""Titles that only session/list has, sessions without a title, and sessions of other directories."""

from __future__ import annotations

from typing import Any

from acp_trace.analyze.contradictions.rules import Answered, RuleContext, Rules
from acp_trace.analyze.timestamps import moment
from acp_trace.protocol import methods
from acp_trace.trace.jsontext import as_object, objects, short


class ListRules(Rules):
    """The sessions of this trace as session/list shows them."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self.answers = {methods.LIST: self._listed}

    def _listed(self, answer: Answered) -> None:
        sessions = answer.result.get("sessions")
        self._check_filter(answer)
        for at, info in enumerate(sessions if isinstance(sessions, list) else ()):
            row = as_object(info)
            named, title = row.get("sessionId"), row.get("title")
            self._check_time(answer, row, at)
            session = self.known.sessions.all.get(named) if isinstance(named, str) else None
            if session is None or session.metadata.was_reported("title"):
                continue
            path = f"/result/sessions/{at}/title"
            if isinstance(title, str) and title:
                text = f"title {short(title)} comes only from session/list, not from an update"
                self.say("title-only-listed", "agent", answer.frame, session.id, text, path=path)
            elif any(turn.settled_frame is not None for turn in session.turns):
                text = f"session {short(session.id)} had a turn, but has no title"
                self.say("session-untitled", "agent", answer.frame, session.id, text, path=path)

    def _check_time(self, answer: Answered, row: dict[str, Any], at: int) -> None:
        time = row.get("updatedAt")
        if isinstance(time, str) and moment(time) is None:
            text = f"updatedAt {short(time)} of a listed session is not RFC 3339"
            path = f"/result/sessions/{at}/updatedAt"
            self.say("updated-at-invalid", "agent", answer.frame, None, text, path=path)

    def _check_filter(self, answer: Answered) -> None:
        """Report a list with sessions of several directories, although the client asked for one."""
        wanted = answer.asked.params.get("cwd")
        rows = list(objects(answer.result.get("sessions")))
        others = [at for at, row in enumerate(rows) if _spelling(row.get("cwd")) != _spelling(wanted)]
        # A single other directory may be the requested one, by another path.
        if isinstance(wanted, str) and len({_spelling(row.get("cwd")) for row in rows}) > 1 and others:
            text = f"{len(others)} of {len(rows)} sessions are not of {short(wanted)}"
            self.say("list-filter-ignored", "agent", answer.frame, None, text,
                     path=f"/result/sessions/{others[0]}/cwd", expected=wanted)  # fmt: skip


def _spelling(directory: object) -> str:
    """Return the spelling of a directory that is the same for all its spellings on its system."""
    text = str(directory)
    if text[1:3] in (":\\", ":/"):
        text = text.lower().replace("/", "\\")
    return text.rstrip("/\\") or text
