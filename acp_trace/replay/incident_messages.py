"""Incidents in words: of a request without an answer, an answer without a request, a step that comes late."""

from __future__ import annotations

from acp_trace.replay.incidents import Incident, Place
from acp_trace.replay.matching import Match
from acp_trace.replay.recording import RecordedMessage


def unmatched(method: str, session: str | None, miss: Match, got: Place) -> Incident:
    """A request that the recording does not have."""
    near = miss.nearest
    reason = f"nearest #{near.frame}: {miss.why}" if near is not None else miss.why
    comma = ", " if near is not None else ": "
    message = f"{method} is not in the recording{comma}{reason}"
    expected = near.frame if near is not None else None
    return Incident(
        "request-unmatched", message, session, expected=expected, got=got, now=method, reason=reason
    )


def unused(request: RecordedMessage) -> Incident:
    """A request that did not come."""
    message = f"{request.method} did not come: its answer is not needed"
    return Incident("answer-unused", message, request.session, expected=request.frame, was=request.method)


def late(step: RecordedMessage, aim: RecordedMessage, *, skipped: bool) -> Incident:
    """A step whose aim, or whose turn, is over: it was skipped, or sent after it."""
    code, what = ("step-skipped", "was not sent") if skipped else ("step-late", "was sent after it")
    message = f"{step.method} {what}: {aim.method} #{aim.frame} was over already"
    return Incident(code, message, step.session, expected=step.frame, was=step.method)
