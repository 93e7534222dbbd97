"""Which sessions, turns and requests match, over a whole trace; and which have no counterpart.

Sessions match if the requests that opened them do. Sessions run in parallel, so two of them have no order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from acp_trace.compare.pairing import frames, matching, request_keys
from acp_trace.compare.pairing.frames import ComparedFrames
from acp_trace.compare.pairing.matching import MatchedRequests, RequestList, RequestPair
from acp_trace.compare.pairing.pairs import (
    Pairing,
    RequestLack,
    SessionPair,
    UnmatchedRequest,
    phase_in_other,
)
from acp_trace.compare.pairing.sections import compared_calls, paired_sections
from acp_trace.compare.pairing.tolerance import NONE, Tolerance, Tolerances
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize import pointers
from acp_trace.normalize.bindings import Bindings
from acp_trace.protocol import methods
from acp_trace.story.model import Request, SessionPhase, SessionStory
from acp_trace.trace.jsontext import as_object, string_or_none

_SENDERS = ("client", "agent")


class Matching:
    """Matches two stories."""

    def __init__(self, traces: TracePair) -> None:
        self._traces = traces
        self._compared: list[ComparedFrames] = []
        self._tolerances = Tolerances(traces.expected, traces.actual)
        self._bindings = Bindings()
        self._turns: dict[tuple[str, int], int] = {}  #: by session and turn of the expected trace
        self._unmatched: list[UnmatchedRequest] = []
        self._moved: list[tuple[str | None, RequestPair]] = []
        self._expected_turns: dict[tuple[str, int], int] = {}  #: by session and turn of the actual trace
        self._requests: list[tuple[SessionPair | None, RequestPair]] = []
        self._openers: list[tuple[RequestLack, Request, bool]] = []  #: unmatched; whether that is tolerated
        self._reopened_as: dict[str | None, str] = {}  #: sessions opened in another way: actual ids

    def match(self) -> tuple[TracePair, Pairing]:
        """Return both traces, with names for directories (`TracePair.with_sessions`), and their pairs."""
        expected, actual = self._traces.expected, self._traces.actual
        opened: list[RequestPair] = []
        unmatched: list[Request] = []
        for sender in _SENDERS:
            matched = self._match(None, expected.requests[sender], actual.requests[sender])
            opened += [pair for pair in matched.pairs if pair[0].method in methods.OPENERS]
            left = *matched.missing, *matched.extra
            unmatched += [request for request in left if request.method in methods.OPENERS]
        sessions, missing, extra = self._sessions(opened, unmatched)
        self._traces = self._traces.with_sessions(sessions)
        self._match_openers()
        for pair in sessions:
            for sender in _SENDERS:
                requests, actual_requests = (matching.once(session.requests[sender]) for session in pair)
                polled_again = _frames(pair[0].requests[sender]) - _frames(requests)
                self._compared.append(ComparedFrames(frames=polled_again))
                self._bind_turns(pair, self._match(pair, requests, actual_requests).pairs)
        self._bind_terminals()
        self._compared += frames.of_requests((pair for _, pair in self._requests), expected, actual)
        pairing = Pairing(
            sessions,
            self._requests,
            self._turns,
            self._bindings,
            reopened=frozenset(id_ for id_ in self._reopened_as if id_ is not None),
            unmatched=self._unmatched,
            missing_sessions=missing,
            extra_sessions=extra,
            moved=self._moved,
            frames=frames.pairs(self._compared),
            compared=self._compared,
        )
        if self._traces.match == "outcome":
            return self._traces, pairing
        sections = [*paired_sections(self._traces, pairing, self._tolerances)]
        compared = [*self._compared, *compared_calls(sections)]
        return self._traces, replace(pairing, sections=sections, compared=compared)

    def _bind_terminals(self) -> None:
        """Bind the ids of terminals, which their requests then name."""
        for _, pair in self._requests:
            if pair[0].method == request_keys.CREATE_TERMINAL and all(
                each.outcome == "result" for each in pair
            ):
                ids = [pointers.at(request.result, ("terminalId",)) for request in pair]
            elif pair[0].method in request_keys.TERMINALS:
                ids = [request.params.get("terminalId") for request in pair]
            else:
                continue
            if all(isinstance(id_, str) for id_ in ids):
                self._bindings.pair("terminal", *ids)

    # -- requests

    def _match(
        self, sessions: SessionPair | None, expected: Sequence[Request], actual: Sequence[Request]
    ) -> MatchedRequests:
        traces = self._traces
        wheres = [request.where if request.sender == "agent" else None for request in expected]
        actual_wheres = [self._where_in_expected(sessions, request) for request in actual]
        matched = matching.match(
            RequestList(expected, wheres, traces.expected_uncounted),
            RequestList(actual, actual_wheres, traces.actual_uncounted),
        )
        self._requests += [(sessions, pair) for pair in matched.pairs]
        session_id = None if sessions is None else sessions[0].id
        self._moved += [(session_id, pair) for pair in matched.moved]
        polled, actual_polled = ({_polled(pair[side]) for pair in matched.pairs} - {None} for side in (0, 1))
        unmatched: list[tuple[RequestLack, Request, bool]] = []
        last = max((request.frame for request, _ in matched.pairs), default=0)
        last_actual = max((request.frame for _, request in matched.pairs), default=0)
        for request in matched.missing:
            cut = not traces.actual.whole and request.frame > last
            actual_where = phase_in_other(self._turns, session_id, request.where)
            tolerance = self._tolerance(sessions, request, request.where, actual_where)
            allowed = tolerance is None or tolerance.may_miss(request.frame) or _polled(request) in polled
            unmatched.append(("missing", request, cut or allowed))
        extra: tuple[tuple[RequestLack, list[Request]], ...] = (
            ("extra", matched.extra),
            ("twice", matched.twice),
        )
        for how, requests in extra:
            for request in requests:
                cut = not traces.expected.whole and request.frame > last_actual
                where = self._where_in_expected(sessions, request)
                tolerance = self._tolerance(sessions, request, where, request.where)
                allowed = (
                    tolerance is None
                    or (tolerance.may_add(request.frame) and how == "extra")
                    or _polled(request) in actual_polled
                )
                unmatched.append((how, request, cut or allowed))
        for how, request, is_tolerated in unmatched:
            if request.method in methods.OPENERS:
                self._openers.append((how, request, is_tolerated))
            else:
                self._note(how, session_id, request, is_tolerated)
        return matched

    def _match_openers(self) -> None:
        """Note the unmatched requests for sessions; one for both traces if they open the same session."""
        ids = [named_session(request, methods.OPENERS[request.method]) for _, request, _ in self._openers]
        again = {*self._reopened_as.values()}
        others = {
            id_: request
            for id_, (how, request, _) in zip(ids, self._openers, strict=True)
            if how != "missing"
        }
        for id_, (how, request, is_tolerated) in zip(ids, self._openers, strict=True):
            is_other = how != "missing" and id_ in again
            other = others.get(self._reopened_as.get(id_)) if how == "missing" else None
            is_quiet = (is_tolerated or is_other) and other is None
            self._note(how, id_ if other else None, request, is_quiet, other)

    def _note(
        self,
        how: RequestLack,
        session_id: str | None,
        request: Request,
        is_tolerated: bool,
        other: Request | None = None,
    ) -> None:
        """Note that a request has no counterpart."""
        self._compared.append(ComparedFrames(unmatched=_frames([request])))
        if not is_tolerated:
            self._unmatched.append(UnmatchedRequest(how, session_id, request, other))

    def _tolerance(
        self,
        sessions: SessionPair | None,
        request: Request,
        where: SessionPhase | None,
        actual_where: SessionPhase | None,
    ) -> Tolerance | None:
        """Return how much may be missing at a request's place; None if all of that has no counterpart."""
        if sessions is None or request.sender == "client" or request.where is None:
            return NONE
        if where is None or actual_where is None:
            return None
        return self._tolerances.of(*sessions, where, actual_where) if where.part == "turn" else NONE

    def _where_in_expected(self, sessions: SessionPair | None, request: Request) -> SessionPhase | None:
        """Return the place of an agent's request in the actual trace, as the expected trace names it."""
        if request.sender == "client":
            return None
        return phase_in_other(self._expected_turns, sessions and sessions[1].id, request.where)

    # -- sessions and turns

    def _bind_turns(self, sessions: SessionPair, pairs: Sequence[RequestPair]) -> None:
        expected, actual = ({turn.frame: turn.turn for turn in session.turns} for session in sessions)
        for request, actual_request in pairs:
            if request.frame in expected and actual_request.frame in actual:
                turn, actual_turn = expected[request.frame], actual[actual_request.frame]
                self._turns[sessions[0].id, turn] = actual_turn
                self._expected_turns[sessions[1].id, actual_turn] = turn

    def _sessions(
        self, opened: Sequence[RequestPair], unmatched: Sequence[Request]
    ) -> tuple[list[SessionPair], list[SessionStory], list[SessionStory]]:
        """Return the matching sessions, and those of each trace whose absence no request explains.

        `unmatched`: requests to open one that have no counterpart.
        """
        traces = self._traces
        failed = {named_session(request, methods.OPENERS[request.method]) for request in unmatched}
        for expected, actual in opened:
            for source in ("params", methods.OPENERS[expected.method]):
                ids = [named_session(request, source) for request in (expected, actual)]
                if None not in ids:
                    self._bindings.pair("session", *ids)
            failed.update(ids)  # one of the two may be None: then the other one gives the reason
        pairs: list[SessionPair] = []
        for session in traces.expected.sessions.values():
            actual_id = self._bindings.actual("session", session.id) or ""
            actual_session = traces.actual.sessions.get(actual_id)
            if actual_session is not None:
                pairs.append((session, actual_session))
        self._strangers(pairs)
        self._reopened(pairs, unmatched)
        apart = self._apart(pairs)
        self._compared.append(
            ComparedFrames(unmatched=sum(session.frames for side in apart for session in side))
        )
        missing, extra = ([session for session in side if session.id not in failed] for side in apart)
        return sorted(pairs, key=lambda pair: pair[0].frame), missing, extra

    def _strangers(self, pairs: list[SessionPair]) -> None:
        """Add sessions without an opening request: by their names, then by the client's requests, in order.

        One that only the agent names never matches one that the client tried in vain to open.
        """
        for key in _STRANGERS_BY:
            expected, actual = (
                [session for session in side if not session.opened] for side in self._apart(pairs)
            )
            waiting: dict[str, list[SessionStory]] = {}
            for session in reversed(actual):
                waiting.setdefault(key(session), []).append(session)
            for session in expected:
                if alike := waiting.get(key(session)):
                    actual_session = alike.pop()
                    self._bindings.pair("session", session.id, actual_session.id)
                    pairs.append((session, actual_session))

    def _reopened(self, pairs: list[SessionPair], unmatched: Sequence[Request]) -> None:
        """Add the sessions that the traces open in different ways: as new, and from the agent's store."""
        left = {named_session(request, methods.OPENERS[request.method]) for request in unmatched}
        missing, extra = ([each for each in side if each.id in left] for side in self._apart(pairs))
        for session, actual_session in zip(missing, extra, strict=False):
            self._bindings.pair("session", session.id, actual_session.id)
            self._reopened_as[session.id] = actual_session.id
            pairs.append((session, actual_session))

    def _apart(self, pairs: Sequence[SessionPair]) -> tuple[list[SessionStory], list[SessionStory]]:
        """Return the sessions of both traces that have no counterpart so far."""
        expected_ids, actual_ids = {expected.id for expected, _ in pairs}, {actual.id for _, actual in pairs}
        expected, actual = self._traces.expected.sessions, self._traces.actual.sessions
        return (
            [session for session in expected.values() if session.id not in expected_ids],
            [session for session in actual.values() if session.id not in actual_ids],
        )


def _polled(request: Request) -> tuple[str, str] | None:
    """Return the subject of a poll; the number of polls is not compared, as long as there is one."""
    if request.method not in request_keys.POLLS:
        return None
    return request.method, str(request.params.get("terminalId"))


def _frames(requests: Sequence[Request]) -> int:
    """Return the number of frames of requests and their responses."""
    return sum(1 if request.response_frame is None else 2 for request in requests)


def named_session(request: Request, source: str) -> str | None:
    """Return the session that a request opens."""
    holder = request.params if source == "params" else as_object(request.result)
    return None if request.outcome == "error" else string_or_none(holder.get("sessionId"))


def _asked_for(session: SessionStory) -> str:
    """Return the result of the client's requests for a session without an opening request."""
    outcomes = {request.outcome for request in session.requests["client"]}
    if not outcomes:
        return "never asked for"
    return "refused" if outcomes == {"error"} else "there"


#: What two sessions without an opening request have in common: the closest property first.
_STRANGERS_BY: tuple[Callable[[SessionStory], str], ...] = (lambda session: session.id, _asked_for)
