"""What in one trace matches what in the other, for checks to look up. Nothing here changes.

`sessions` makes it, before anything is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from acp_trace.compare.pairing.calls import MatchedCalls
from acp_trace.compare.pairing.frames import ComparedFrames
from acp_trace.compare.pairing.matching import RequestPair
from acp_trace.compare.pairing.tolerance import Tolerance
from acp_trace.normalize.bindings import Bindings
from acp_trace.story.model import Request, Section, SessionPhase, SessionStory

_TURNS = ("turn", "after")  #: the parts of a session that belong to a turn

#: An expected session, and its actual counterpart.
SessionPair = tuple[SessionStory, SessionStory]


class SectionPair(NamedTuple):
    """One part of a session in both traces, which may be empty in either, with the names in both."""

    sessions: SessionPair
    where: SessionPhase
    actual_where: SessionPhase
    expected: Section
    actual: Section
    tolerance: Tolerance
    calls: MatchedCalls

    @property
    def session_id(self) -> str:
        """The session's id in the expected trace."""
        return self.sessions[0].id


#: How one trace lacks a request of the other.
RequestLack = Literal["missing", "extra", "twice"]


class UnmatchedRequest(NamedTuple):
    """A request without counterpart. `other`: the actual one that opens the same session in another way."""

    how: RequestLack
    session_id: str | None
    request: Request
    other: Request | None


@dataclass(frozen=True)
class Pairing:
    """Matching sessions, turns, requests and tool calls, and those without a counterpart.

    - `requests`: with their session, None outside of any
    - `sections`: of each session in order; empty if the agent's work is not compared
    - `turns`: the turn of the actual trace, by session and turn of the expected one
    - `bindings`: the ids of sessions and terminals
    - `reopened`: the sessions that were opened in another way, so that their history differs
    - `unmatched`: the requests without a counterpart, except tolerated ones (`tolerance`)
    - `missing_sessions`, `extra_sessions`: those that no such request, and no failed one, would have opened
    - `moved`: the pairs that have another place among the requests, each with its session
    - `frames`: those of requests, responses and ends of turns
    - `compared`: all frames that are compared by being paired
    """

    sessions: Sequence[SessionPair]
    requests: Sequence[tuple[SessionPair | None, RequestPair]]
    turns: Mapping[tuple[str, int], int]
    bindings: Bindings
    sections: Sequence[SectionPair] = ()
    reopened: frozenset[str] = frozenset()
    unmatched: Sequence[UnmatchedRequest] = ()
    missing_sessions: Sequence[SessionStory] = ()
    extra_sessions: Sequence[SessionStory] = ()
    moved: Sequence[tuple[str | None, RequestPair]] = ()
    frames: Sequence[tuple[int, int]] = ()
    compared: Sequence[ComparedFrames] = ()

    def where(self, sessions: SessionPair | None, where: SessionPhase | None) -> SessionPhase | None:
        """Return the actual trace's name for a part of a session; None if it has no such turn."""
        return phase_in_other(self.turns, sessions and sessions[0].id, where)

    @cached_property
    def missing(self) -> frozenset[int]:
        """The frames of requests that only the expected trace has."""
        return frozenset(each.request.frame for each in self.unmatched if each.how == "missing")

    @cached_property
    def extra(self) -> frozenset[int]:
        """The frames of requests that only the actual trace has, without repetitions of common ones."""
        return frozenset(each.request.frame for each in self.unmatched if each.how == "extra")

    @cached_property
    def refused(self) -> frozenset[int | None]:
        """The expected responses that have errors in their place."""
        return frozenset(
            expected.response_frame
            for _, (expected, actual) in self.requests
            if (expected.outcome, actual.outcome) == ("result", "error")
        )

    def counterpart(self, *, expected: int | None = None, actual: int | None = None) -> int | None:
        """Return the frame of the counterpart of a request or a response; None if it has none."""
        by_expected, by_actual = self._by_frame
        return by_expected.get(expected or 0) if actual is None else by_actual.get(actual)

    @cached_property
    def _by_frame(self) -> tuple[Mapping[int, int], Mapping[int, int]]:
        return dict(self.frames), {now: was for was, now in self.frames}

    @property
    def last_actual(self) -> int:
        """The last frame of the actual trace that belongs to a request that both have."""
        return max((now for _, now in self.frames), default=0)


def phase_in_other(
    turns: Mapping[tuple[str, int], int], session_id: str | None, where: SessionPhase | None
) -> SessionPhase | None:
    """Return the other trace's name for a part of a session, by its turns; None if it has no such turn."""
    if session_id is None or where is None or where.part not in _TURNS:
        return where
    number = turns.get((session_id, where.number))
    return None if number is None else SessionPhase(where.part, number)
