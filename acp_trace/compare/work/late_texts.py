"""Agents that answer beside their updates: which end of a turn's text came only after the next prompt.

Nothing here reports anything.
"""

from __future__ import annotations

from acp_trace.compare.story.model import SessionPhase, SessionStory
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize.pointers import Path


def carried_over(
    traces: TracePair,
    kind: str,
    path: Path,
    expected: tuple[SessionStory, SessionPhase],
    actual: tuple[SessionStory, SessionPhase],
) -> tuple[str, str]:
    """With which end of the text before it a turn of each trace may begin: what only the other has in time.

    `path`: where the text stands in its frames.
    """
    was = traces.expected_uncounted.shown(_before(*expected, kind), path)
    now = traces.actual_uncounted.shown(_before(*actual, kind), path)
    if was.startswith(now):
        return "", was[len(now) :]
    return now[len(was) :] if now.startswith(was) else "", ""


def _before(session: SessionStory, where: SessionPhase, kind: str) -> str:
    """All that a message of the turn before shows, also after its end."""
    parts = (session.sections.get(SessionPhase(part, where.number - 1)) for part in ("turn", "after"))
    runs = (run for section in parts if section is not None for run in section.messages.get(kind, ()))
    return "".join(run.shown.text for run in runs if run.shown is not None)
