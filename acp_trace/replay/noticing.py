"""Incidents in words: of a request without an answer, an answer without a request, a step that comes late."""

from __future__ import annotations

from acp_trace.replay.claims import Claim
from acp_trace.replay.incidents import Incident, Place
from acp_trace.replay.recording import Said
from acp_trace.replay.saying import TooLate


def unmatched(method: str, session: str | None, miss: Claim, got: Place) -> Incident:
    """A request that the recording does not have."""
    near = miss.nearest
    reason = f"nearest #{near.frame}: {miss.why}" if near is not None else miss.why
    comma = ", " if near is not None else ": "
    message = f"{method} is not in the recording{comma}{reason}"
    expected = near.frame if near is not None else None
    return Incident(
        "request-unmatched", message, session, expected=expected, got=got, now=method, reason=reason
    )


def unused(asked: Said) -> Incident:
    """A request that did not come."""
    told = f"{asked.method} did not come: its answer is not needed"
    return Incident("answer-unused", told, asked.session, expected=asked.frame, was=asked.method)


def late(said: Said, why: TooLate) -> Incident:
    """A step of a turn that is over."""
    return Incident(why.code, why.message, said.session, expected=said.frame, was=said.method)
