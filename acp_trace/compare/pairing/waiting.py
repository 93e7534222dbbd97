"""Whether an agent only waits for its client's decision when a turn is cancelled. Pure.

Then nothing is under way, and what the agent begins after the cancel is its own decision (`tolerance`). Some
agents run a tool while their model still writes, or several tools at a time: then the agent does not only
wait.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TypeVar

from acp_trace.analyze.facts import Turn
from acp_trace.protocol import methods, updates
from acp_trace.story.model import Request, SessionPhase, SessionStory, Story, TraceEvent

T = TypeVar("T", Request, TraceEvent)

#: Requests of an agent for a decision of the user, with the answer for a cancelled turn.
_DECISIONS = {
    methods.PERMISSION: {"outcome": {"outcome": "cancelled"}},
    methods.ELICITATION: {"action": "cancel"},
}


class Waiting:
    """The cancelled turns of one trace in which the agent only waited."""

    def __init__(self, story: Story) -> None:
        self._story = story
        #: Cancels that came while a call of the model was open.
        self._busy = {call.cancel_frame for call in story.facts.model_calls}

    def at(self, session: SessionStory, where: SessionPhase, turn: Turn, cancel: int) -> bool:
        """Whether the agent only waited at this cancel of a turn."""
        if cancel in self._busy:
            return False
        requests = _between(session.requests["agent"], turn.frame, cancel)
        pending = {request.frame: request for request in requests if _is_pending(request, cancel)}
        if not pending or any(_is_open(each, cancel) for each in requests if each.frame not in pending):
            return False
        calls = [request.call for request in pending.values()]
        section = session.sections.get(where)
        return self._is_quiet(session, pending, turn.frame, cancel) and all(
            call in calls
            for call in (() if section is None else section.calls)
            if call.frame < cancel and (call.end is None or call.end > cancel)
        )

    def _is_quiet(
        self, session: SessionStory, pending: Mapping[int, Request], turn: int, cancel: int
    ) -> bool:
        """Whether the agent did nothing in the session between its last request and the cancel."""
        calls = {request.call.id for request in pending.values() if request.call is not None}
        for event in reversed(_between(self._story.events, turn, cancel)):
            if event.sender != "agent" or event.session_id != session.id:
                continue
            if event.frame in pending:
                return True
            is_of_call = event.update in updates.TOOL_CALLS and event.call_id in calls
            if event.update in updates.OF_TURN and not is_of_call:
                return False
        return False


def _between(items: Sequence[T], begin: int, end: int) -> Sequence[T]:
    """Return the items, in the order of their frames, from a frame on and before another."""
    first, last = (bisect_left(items, frame, key=lambda item: item.frame) for frame in (begin, end))
    return items[first:last]


def _is_open(request: Request, frame: int) -> bool:
    return request.response_frame is None or request.response_frame > frame


def _is_pending(request: Request, cancel: int) -> bool:
    """Whether a decision is open at a cancel. The client may withdraw its dialog just before or after it."""
    if request.method not in _DECISIONS:
        return False
    if request.response_frame is None:
        return True
    is_withdrawn = request.outcome == "result" and request.result == _DECISIONS[request.method]
    return is_withdrawn or (request.outcome == "error" and _is_open(request, cancel))
