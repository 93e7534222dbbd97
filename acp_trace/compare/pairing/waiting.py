"""Whether an agent only waits for its client's decision when a turn is cancelled. Pure.

Then nothing is under way, and what the agent begins after the cancel is its own decision (`tolerance`). Some
agents run a tool while their model still writes, or several tools at a time: then the agent does not only
wait.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from acp_trace.analyze.facts import Turn
from acp_trace.protocol import methods, updates
from acp_trace.story.model import Request, SessionPhase, SessionStory, Story, TraceEvent

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
        requests = session.requests["agent"]
        begin, end = (bisect_left(requests, frame, key=_frame_of) for frame in (turn.frame, cancel))
        pending = {request.frame: request for request in requests[begin:end] if _is_pending(request, cancel)}
        if not pending or any(
            _is_open(request, cancel) for request in requests[begin:end] if request.frame not in pending
        ):
            return False
        calls = [request.call for request in pending.values()]
        section = session.sections.get(where)
        under_way = () if section is None else section.calls
        ids = {call.id for call in calls if call is not None}
        return self._is_quiet(session, set(pending), ids, turn.frame, cancel) and all(
            call in calls
            for call in under_way
            if call.frame < cancel and (call.end is None or call.end > cancel)
        )

    def _is_quiet(
        self, session: SessionStory, pending: set[int], calls: set[str], turn: int, cancel: int
    ) -> bool:
        """Whether the agent did nothing in the session between its last request and the cancel."""
        for event in self._before(cancel, turn):
            if event.sender != "agent" or event.session_id != session.id:
                continue
            if event.frame in pending:
                return True
            is_of_call = event.update in updates.TOOL_CALLS and event.call_id in calls
            if event.update in updates.OF_TURN and not is_of_call:
                return False
        return False

    def _before(self, frame: int, begin: int) -> Iterator[TraceEvent]:
        """Yield the events before a frame, the last first, back to another frame."""
        events = self._story.events
        at = bisect_right(events, frame, key=lambda event: event.frame)
        while at and events[at - 1].frame > begin:
            at -= 1
            yield events[at]


def _frame_of(request: Request) -> int:
    return request.frame


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
