"""The session of a subagent in words: whose it is, and what it was for. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.session_names import SessionNames


def said(session: facts.Session, names: SessionNames) -> str:
    """`subagent of S1`; empty if the session is not one's."""
    return f"subagent of {names.of(session.parent_session_id)}" if session.parent_session_id else ""


def what(session: facts.Session, names: SessionNames) -> str:
    """`S2 "Fix the build"`."""
    title = f' "{safe(session.title)}"' if session.title else ""
    return f"{names.of(session.session_id)}{title}"


def subagents_below(sessions: Iterable[facts.Session]) -> Iterator[facts.Session]:
    """The sessions, each with those of its subagents right after it; otherwise in their order."""
    below = group(sessions, lambda session: session.parent_session_id)
    seen: set[str] = set()
    waiting = [session for of in below.values() for session in of][::-1]
    waiting += below.get(None, [])[::-1]
    while waiting:
        session = waiting.pop()
        if session.session_id not in seen:
            seen.add(session.session_id)
            yield session
            waiting += below.get(session.session_id, [])[::-1]
