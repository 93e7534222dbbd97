"""Tool calls that the agent sends to another session: missing in their own, and new in that one.

The missing and the new call follow from the crossing (`following`). A call is recognised by its kind and its
title.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from acp_trace.compare.pairing.pairs import SessionPair
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair
from acp_trace.story.model import Call, SessionStory

#: The codes of a call in only one trace. Calls after a turn have no code of their own.
_MISSING = ("tool-call-missing",)
_NEW = ("tool-call-extra", "tool-call-unannounced")
_AFTER = "after"


def crossings(
    traces: TracePair, sessions: Sequence[SessionPair], divergences: Iterable[Divergence]
) -> Divergences:
    """Yield each tool call that these divergences report missing, and that another session now has."""
    events = [(each.code, each.expected_event, each.got_event) for each in divergences]
    missing = {event.frame for code, event, _ in events if code in _MISSING and event}
    new = {event.frame for code, _, event in events if code in _NEW and event}
    if not missing or len(sessions) < 2:
        return
    numbered = list(enumerate(sessions, 1))
    free = [(there, call) for there, (_, own) in numbered for call in _calls(own, new, with_after=True)]
    for here, (session, _) in numbered:
        for call in _calls(session, missing):
            title = traces.expected_uncounted.shown(call.title)
            others = (each for each in free if each[0] != here)
            other = next((each for each in others if _is_same(traces, call, title, each[1])), None)
            if other is not None:
                free.remove(other)
                was, now = (f"session {number}" for number in (here, other[0]))
                message = f"a tool call of {was} is sent to {now}: {call.words}"
                frames = call.frame, other[1].frame
                yield traces.divergence("session-crossed", session.id, message, *frames, was=was, now=now)


def _is_same(traces: TracePair, call: Call, title: str, actual: Call) -> bool:
    """Whether a call has the kind of another one, and its title. After a turn, its kind may be missing."""
    is_of_kind = (actual.kind or call.kind) == call.kind
    return bool(call.title) and is_of_kind and traces.actual_uncounted.shown(actual.title) == title


def _calls(session: SessionStory, frames: Collection[int], *, with_after: bool = False) -> Iterator[Call]:
    """Yield the tool calls of a session that begin at these frames, or that come after a turn."""
    for where, section in session.sections.items():
        for call in section.calls:
            if call.frame in frames or (with_after and where.part == _AFTER):
                yield call
