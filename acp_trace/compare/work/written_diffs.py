"""Tool calls without a permission: whether the written text is still what their diffs show.

As with permissions (`requests.agreement`), values are only compared with values of the same trace: another
model may write another file. Text that is written during a call belongs to it. Some agents announce a call
only when it is over: then everything written since the tool calls before it belongs to it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.requests.agreement import Shown, between, in_words, misleading
from acp_trace.compare.requests.shown_files import WRITE, ShownDiffs
from acp_trace.compare.result import Divergence
from acp_trace.compare.trace_pair import Explains, TracePair
from acp_trace.normalize import pointers
from acp_trace.story.model import Call, Section, SessionPhase, SessionStory, Story
from acp_trace.trace.entries import AFTER_ALL


def compare(traces: TracePair, pairing: Pairing) -> Iterator[Divergence | Explains]:
    """Compare matching tool calls; report those that do not write what they show."""
    writing = {pair[0].id for pair in pairing.sessions if all(map(_writes, pair))}
    diffs = ShownDiffs(traces.expected), ShownDiffs(traces.actual)
    for section in pairing.sections if writing else ():
        if section.session_id not in writing or not section.calls.pairs:
            continue
        expected, actual = section.sessions
        turn = _Turn(traces.expected, expected, section.where, diffs[0])
        actual_turn = _Turn(traces.actual, actual, section.actual_where, diffs[1])
        for call, actual_call in section.calls.pairs:
            yield from _compare(traces, section.session_id, (turn, call.id), (actual_turn, actual_call.id))


def _compare(
    traces: TracePair, session_id: str, expected: tuple[_Turn, str], actual: tuple[_Turn, str]
) -> Iterator[Divergence | Explains]:
    turn, call_id = actual
    was = expected[0].shown(expected[1])
    now = turn.shown(call_id) if was else {}
    found = [*misleading(was, now)]
    if not found:
        return
    anywhere = turn.shown(call_id, in_whole_turn=True)
    found = [each for each in found if not any(held.agrees for held in anywhere[each.place].held.values())]
    if not found:  # another call wrote it
        return
    first = found[0]
    shows, writes = (f'"{text}"' for text in in_words(first))
    frames = frozenset(frame for each in found for frame in each.frames)
    yield traces.divergence(
        "tool-call-misleads",
        session_id,
        f"a tool call shows {shows} ({first.place}) and writes {writes}",
        min(next(iter(was[first.place].held.values())).frames),
        min(
            first.frames
        ),  # what follows from a refused write comes behind it, and this does not follow from it
        was="shows what it writes",
        now=f"shows {shows}, and writes {writes}",
    )
    yield Explains(frames, min(first.frames))


def _writes(session: SessionStory) -> bool:
    return any(request.method == WRITE for request in session.requests["agent"])


class _Turn:
    """The tool calls of a turn, and what is written in it. Empty for any other part of a session."""

    def __init__(
        self, story: Story, session: SessionStory, where: SessionPhase | None, diffs: ShownDiffs
    ) -> None:
        turn = story.turn_at(session.id, where)
        section = session.sections.get(where) if turn and where else None
        calls = (section or Section(SessionPhase("turn", 0))).calls
        self._calls = {call.id: call for call in calls}
        self._frames = sorted(frame for call in calls for frame in call.frames)
        self._span = (turn.frame, turn.settled_frame or AFTER_ALL) if turn else (0, 0)
        self._requests = session.requests["agent"]
        self._story = story
        self._diffs = diffs

    def shown(self, call_id: str, *, in_whole_turn: bool = False) -> dict[str, Shown]:
        """Return the diffs of a call, compared with what is written; empty if it asks for a permission.

        `in_whole_turn`: also compare what is written before and after it.
        """
        call = self._calls.get(call_id)
        if call is None or call.end is None or call.permissions:
            return {}
        updates = [
            (frame, pointers.at(self._story.message(frame), ("params", "update"))) for frame in call.frames
        ]
        span = self._span if in_whole_turn else (self._begin(call), call.end)
        return self._diffs.written(updates, between(self._requests, *span, (WRITE,)))

    def _begin(self, call: Call) -> int:
        """Return the frame from which on a call is at work."""
        if call.frame != call.end:
            return call.frame
        before = bisect_left(self._frames, call.frame)
        return max(self._span[0], self._frames[before - 1] if before else 0)
