"""Requests and sessions in only one trace, and requests with another place or another session."""

from __future__ import annotations

from acp_trace.compare.pairing import request_keys
from acp_trace.compare.pairing.pairs import Pairing, RequestLack, UnmatchedRequest
from acp_trace.compare.pairing.sessions import named_session
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair
from acp_trace.protocol import methods
from acp_trace.story.model import SessionStory, Story

_HOW: dict[RequestLack, str] = {
    "missing": "{} is no longer sent",
    "extra": "an additional {} is sent",
    "twice": "{} is sent again",
}
_HOW_PERMISSION = {
    "missing": "the agent no longer asks for a permission: {}",
    "extra": "the agent asks for an additional permission: {}",
}


def compare(traces: TracePair, pairing: Pairing) -> Divergences:
    """Yield what has no counterpart, or another place. At `outcome`, an agent's requests may differ."""
    for session_id, (expected, actual) in pairing.moved:
        message = f"{expected.method} changes its place among the requests"
        yield traces.divergence("request-order", session_id, message, expected.frame, actual.frame)
    for _, (expected, actual) in pairing.requests:
        if expected.method in methods.OPENERS:
            was, now = (named_session(request, "params") for request in (expected, actual))
            if None not in (was, now) and pairing.bindings.actual("session", was) != now:
                message = f"{expected.method} is about another session"
                yield traces.divergence("request-params", was, message, expected.frame, actual.frame,
                                        was=was, now=now, pointer="/params/sessionId")  # fmt: skip
    for each in pairing.unmatched:
        if each.request.sender == "client" or traces.match != "outcome":
            yield _unmatched(traces, each)
    for session in pairing.missing_sessions if traces.actual.whole else ():
        message = f"a session{_of_subagent(traces.expected, session)} is missing"
        yield traces.divergence("session-missing", session.id, message, session.frame, None)
    for session in pairing.extra_sessions if traces.expected.whole else ():
        message = "an additional session is opened"
        if subagent := _of_subagent(traces.actual, session):
            message = f"an additional session{subagent}"
        elif not session.opened:
            message = "updates for a session that was never opened"
        yield traces.divergence("session-extra", session.id, message, None, session.frame)


def _of_subagent(story: Story, session: SessionStory) -> str:
    """Return ` of a subagent` if the agent announced the session for one: then no request opens it."""
    of = (one for one in story.facts.sessions if one.session_id == session.id)
    return " of a subagent" if any(one.parent_session_id is not None for one in of) else ""


def _unmatched(traces: TracePair, unmatched: UnmatchedRequest) -> Divergence:
    how, session_id, request, other = unmatched
    if other is not None:
        message = f"the session is opened by {other.method} instead of {request.method}"
        return traces.divergence("request-extra", session_id, message, request.frame, other.frame,
                                 was=request.method, now=other.method)  # fmt: skip
    gist = request_keys.gist(request)
    is_permission = request.method == methods.PERMISSION and how != "twice"
    if is_permission:
        code, message = f"permission-{how}", _HOW_PERMISSION[how].format(gist)
    else:
        what = f"{request.method} {gist}" if gist else request.method
        code, message = f"request-{how}", _HOW[how].format(what)
    if how == "missing":
        return traces.divergence(code, session_id, message, request.frame, None, was=gist or None)
    return traces.divergence(code, session_id, message, None, request.frame, now=gist or None)
