"""Where something may be missing, or extra, because the cause is unknown.

That is after a cancel, at a torn end, and where the client left in the middle of a turn.

How far an agent gets before a cancel reaches it is chance, so anything after a cancel may be missing or
extra. The time of a cancel is chance too: an actual trace that is cancelled earlier may lack everything after
the last common event before it. If a trace has no end, its continuation is unknown.

An agent that only waits for its client when the cancel comes (`waiting`) is the exception: new messages, tool
calls and requests after the cancel are the agent's own decision.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.facts import Turn
from acp_trace.compare.pairing.align import align
from acp_trace.compare.pairing.waiting import Waiting
from acp_trace.normalize import pointers
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.updates import TOOL_CALLS
from acp_trace.story.model import SessionPhase, SessionStory, Story
from acp_trace.trace.jsontext import value_or_none


class Tolerance(NamedTuple):
    """`extra`: whether there may be more. `missing_after`: anything after this frame may be missing.

    `cancels`: the frames of the cancels of a turn, expected and actual, if it was cancelled in both.
    `waited`: whether the agent only waited for its client at both of them.
    """

    extra: bool = False
    missing_after: int | None = None
    cancels: tuple[int, int] | None = None
    waited: bool = False

    @property
    def open_end(self) -> bool:
        """Whether something that began in both traces may continue in only one of them."""
        return self.extra or self.missing_after is not None

    def may_miss(self, frame: int) -> bool:
        """Whether the event at this frame of the expected trace may be missing from the actual one."""
        return self.missing_after is not None and frame > self.missing_after

    def is_decision(self, frame: int) -> bool:
        """Whether the agent decided to send the event at this frame of the actual trace after its cancel."""
        return self.waited and self.cancels is not None and frame > self.cancels[1]

    def may_add(self, frame: int) -> bool:
        """Whether the event at this frame of the actual trace may be missing from the expected one."""
        return self.extra and not self.is_decision(frame)


NONE = Tolerance()


class Late(NamedTuple):
    """What comes after the end of a turn in each trace, by kind. The turn may have less of these kinds."""

    expected: frozenset[str] = frozenset()
    actual: frozenset[str] = frozenset()
    #: If the agent answers in parallel to its updates, the turn in each trace: its last text may come in the
    #: next.
    beside: tuple[tuple[SessionStory, SessionPhase], tuple[SessionStory, SessionPhase]] | None = None

    def may_go_on(self, kind: str) -> bool:
        """Whether a message may continue after the end of the turn."""
        return self.beside is not None or kind in self.expected or kind in self.actual


ON_TIME = Late()


def aimed_cancels(of: facts.Facts) -> dict[int, facts.Cancellation]:
    """Return the first cancel that aimed at a request, by the request's frame."""
    aimed: dict[int, facts.Cancellation] = {}
    for cancel in of.cancellations:
        if cancel.kind != "internal" and cancel.target_frame is not None:
            aimed.setdefault(cancel.target_frame, cancel)
    return aimed


def between(expected: Story, actual: Story) -> Tolerance:
    """Return the tolerance outside of turns."""
    return Tolerance(not expected.whole, None if actual.whole else -1)


class Tolerances:
    """The tolerance of each turn."""

    def __init__(self, expected: Story, actual: Story) -> None:
        self._expected, self._actual = expected, actual
        self._waiting = Waiting(expected), Waiting(actual)
        self._known: dict[tuple[str, SessionPhase, SessionPhase], Tolerance] = {}
        self._cancels = [
            {frame: cancel.frame for frame, cancel in aimed_cancels(story.facts).items()}
            for story in (expected, actual)
        ]

    def of(
        self, expected: SessionStory, actual: SessionStory, where: SessionPhase, actual_where: SessionPhase
    ) -> Tolerance:
        """Return the tolerance of a part of a session, which the actual trace names `actual_where`."""
        key = expected.id, where, actual_where
        if key not in self._known:
            self._known[key] = self._of(expected, actual, where, actual_where)
        return self._known[key]

    def _of(
        self, expected: SessionStory, actual: SessionStory, where: SessionPhase, actual_where: SessionPhase
    ) -> Tolerance:
        turn = self._expected.turn_at(expected.id, where)
        actual_turn = self._actual.turn_at(actual.id, actual_where)
        if turn is None or actual_turn is None:
            return between(self._expected, self._actual)
        frames = turn.frame, actual_turn.frame
        cancel, actual_cancel = (of.get(frame) for of, frame in zip(self._cancels, frames, strict=True))
        if cancel is not None and actual_cancel is not None:
            ends = cancel, actual_cancel
            waited = self._waiting[0].at(expected, where, turn, cancel)
            waited = waited and self._waiting[1].at(actual, actual_where, actual_turn, actual_cancel)
            return Tolerance(True, self._last_common(expected, actual, turn, actual_turn, ends), ends, waited)
        if turn.settled_frame is actual_turn.settled_frame is None:  # the client left in the middle of it
            ends = self._expected.frames + 1, self._actual.frames + 1
            return Tolerance(True, self._last_common(expected, actual, turn, actual_turn, ends))
        cut = turn.settled_frame is None and not self._expected.whole
        actual_cut = actual_turn.settled_frame is None and not self._actual.whole
        return Tolerance(cut, -1 if actual_cut else None)

    def _last_common(
        self,
        expected: SessionStory,
        actual: SessionStory,
        turn: Turn,
        actual_turn: Turn,
        ends: tuple[int, int],
    ) -> int:
        """Return the frame of the last common event of a turn, before a frame of each trace."""
        work = _work(self._expected, expected.id, turn.frame, ends[0])
        actual_work = _work(self._actual, actual.id, actual_turn.frame, ends[1])
        pairs = align([key for key, _ in work], [key for key, _ in actual_work])
        return work[pairs[-1][0]][1] if pairs else turn.frame


def _work(story: Story, session_id: str, begin: int, end: int) -> list[tuple[Hashable, int]]:
    """Return an agent's work between two frames, by kind and without repetitions, with each last frame."""
    first = bisect_right(story.events, begin, key=lambda event: event.frame)
    work: list[tuple[Hashable, int]] = []
    for event in story.events[first:]:
        if event.frame >= end:
            break
        if event.sender != "agent" or event.session_id != session_id or event.kind is MessageKind.RESPONSE:
            continue
        key = [event.method, event.update]
        if event.update in TOOL_CALLS:
            update = pointers.at(value_or_none(event.text), ("params", "update"))
            members = [pointers.at(update, (name,)) for name in ("kind", "status")]
            key += [member if isinstance(member, str) else None for member in members]
        if work and work[-1][0] == tuple(key):
            work.pop()
        work.append((tuple(key), event.frame))
    return work
