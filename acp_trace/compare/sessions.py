"""Which sessions, turns and requests belong together, over a whole trace; and what has no counterpart.

Sessions belong together when the requests that opened them do. They go on side by side, so that between
two of them there is no order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.compare import keys, matching
from acp_trace.compare.collector import Collector
from acp_trace.compare.matching import MatchedRequests, Pair, RequestList
from acp_trace.compare.story import Request, SessionStory, Where
from acp_trace.compare.tolerance import NONE, Tolerance, Tolerances
from acp_trace.protocol import methods

_SENDERS = ("client", "agent")
_TURNS = ("turn", "after")

Both = tuple[SessionStory, SessionStory]


class Matched(NamedTuple):
    """What belongs together: sessions, and requests with their session, None outside of any."""

    sessions: list[Both]
    requests: list[tuple[Both | None, Pair]]


class Matching:
    """Matches two stories; what has no counterpart goes into `found`."""

    def __init__(self, found: Collector, tolerances: Tolerances) -> None:
        self._found = found
        self._tolerances = tolerances
        self._backwards: dict[tuple[str, int], int] = {}  #: turns of the second trace -> of the first
        self._requests: list[tuple[Both | None, Pair]] = []

    def match(self) -> Matched:
        """All of it."""
        a, b = self._found.expected, self._found.actual
        opened: list[Pair] = []
        told: list[Request] = []
        for sender in _SENDERS:
            made = self._match(None, a.requests[sender], b.requests[sender])
            opened += [pair for pair in made.pairs if pair[0].method in methods.OPENERS]
            told += [one for one in (*made.missing, *made.extra) if one.method in methods.OPENERS]
        sessions = self._sessions(opened, told)
        for both in sessions:
            for sender in _SENDERS:
                one, other = (matching.once(side.requests[sender]) for side in both)
                self._found.compared(_frames(both[0].requests[sender]) - _frames(one))
                self._bind_turns(both, self._match(both, one, other).pairs)
        return Matched(sessions, self._requests)

    # -- requests

    def _match(self, both: Both | None, a: Sequence[Request], b: Sequence[Request]) -> MatchedRequests:
        found = self._found
        places = [request.where if request.sender == "agent" else None for request in a]
        ours = RequestList(a, places, found.expected_uncounted)
        theirs = RequestList(b, [self._back(both, request) for request in b], found.actual_uncounted)
        made = matching.match(ours, theirs)
        self._requests += [(both, pair) for pair in made.pairs]
        for one, other in made.moved:
            told = f"{one.method} comes in another order"
            found.say("request-order", _id(both), told, one.frame, other.frame)
        polled, its_polled = ({_polled(pair[side]) for pair in made.pairs} - {None} for side in (0, 1))
        last_a = max((one.frame for one, _ in made.pairs), default=0)
        last_b = max((other.frame for _, other in made.pairs), default=0)
        for one in made.missing:
            cut = not found.actual.whole and one.frame > last_a
            tolerance = self._tolerance(both, one, one.where, there(found, both, one.where))
            quiet = cut or tolerance is None or tolerance.may_miss(one.frame) or _polled(one) in polled
            self._left("missing", both, one, quiet=quiet)
        for code, some in (("extra", made.extra), ("twice", made.twice)):
            for other in some:
                cut = not found.expected.whole and other.frame > last_b
                tolerance = self._tolerance(both, other, self._back(both, other), other.where)
                allowed = (
                    tolerance is None or (tolerance.extra and code == "extra") or _polled(other) in its_polled
                )
                self._left(code, both, other, quiet=cut or allowed)
        return made

    def _left(self, how: str, both: Both | None, request: Request, *, quiet: bool) -> None:
        """Says that a request has no counterpart."""
        found = self._found
        missing = how == "missing"
        found.unmatched(1 if request.response_frame is None else 2)
        if quiet or (request.sender == "agent" and found.match == "outcome"):
            return
        permission = request.method == methods.PERMISSION and how != "twice"
        code = f"{'permission' if permission else 'request'}-{how}"
        gist = keys.gist(request)
        told = {
            "missing": "is not sent any more",
            "extra": "was not sent before",
            "twice": "is sent once more",
        }[how]
        told = f"{request.method} {gist} {told}" if gist else f"{request.method} {told}"
        frames = (request.frame, None) if missing else (None, request.frame)
        was, now = (gist or None, None) if missing else (None, gist or None)
        found.say(code, _id(both), told, *frames, was=was, now=now)

    def _tolerance(
        self, both: Both | None, request: Request, where: Where | None, its: Where | None
    ) -> Tolerance | None:
        """How much may be missing where a request stands; None where all of that has no counterpart."""
        if both is None or request.sender == "client" or request.where is None:
            return NONE
        if where is None or its is None:
            return None
        return self._tolerances.of(*both, where, its) if where.part == "turn" else NONE

    def _back(self, both: Both | None, request: Request) -> Where | None:
        """Where a request of the agent stands in the second trace, as the first calls that."""
        where = request.where
        if both is None or request.sender == "client" or where is None or where.part not in _TURNS:
            return None if request.sender == "client" else where
        number = self._backwards.get((both[1].id, where.number))
        return None if number is None else Where(where.part, number)

    # -- sessions and turns

    def _bind_turns(self, both: Both, pairs: Sequence[Pair]) -> None:
        ours, theirs = ({turn.frame: turn.turn for turn in one.turns} for one in both)
        for one, other in pairs:
            if one.frame in ours and other.frame in theirs:
                self._found.turns[both[0].id, ours[one.frame]] = theirs[other.frame]
                self._backwards[both[1].id, theirs[other.frame]] = ours[one.frame]

    def _sessions(self, opened: Sequence[Pair], told: Sequence[Request]) -> list[Both]:
        """Those that belong together. `told`: requests to open one that have no counterpart themselves."""
        found = self._found
        failed = {_named(one, methods.OPENERS[one.method]) for one in told}
        for one, other in opened:
            meant = [_named(request, "params") for request in (one, other)]
            if None not in meant and not found.bindings.pair("session", *meant):
                says = f"{one.method} is about another session"
                found.say("request-params", meant[0], says, one.frame, other.frame,
                          was=meant[0], now=meant[1], pointer="/params/sessionId")  # fmt: skip
            source = methods.OPENERS[one.method]
            ids = [_named(request, source) for request in (one, other)]
            if None not in ids:
                found.bindings.pair("session", *ids)
            failed.update(ids)  # of the two, one may be None: then the other says why
        both: list[Both] = []
        for session in found.expected.sessions.values():
            got = found.actual.sessions.get(found.bindings.got("session", session.id) or "")
            if got is not None:
                both.append((session, got))
        strangers = [[session for session in left if not session.opened] for left in self._apart(both)]
        for session, its in zip(*strangers, strict=False):
            found.bindings.pair("session", session.id, its.id)
            both.append((session, its))
        left_a, left_b = self._apart(both)
        for session in left_a:
            found.unmatched(session.frames)
            if found.actual.whole and session.id not in failed:
                gone = "a session is not there any more"
                found.say("session-missing", session.id, gone, session.frame, None)
        for session in left_b:
            found.unmatched(session.frames)
            if found.expected.whole and session.id not in failed:
                new = "a session was not there before"
                found.say("session-extra", session.id, new, None, session.frame)
        return sorted(both, key=lambda pair: pair[0].frame)

    def _apart(self, both: Sequence[Both]) -> tuple[list[SessionStory], list[SessionStory]]:
        """The sessions of both traces that have no counterpart so far."""
        taken_a, taken_b = {one.id for one, _ in both}, {other.id for _, other in both}
        ours, theirs = self._found.expected.sessions.values(), self._found.actual.sessions.values()
        left_a = [one for one in ours if one.id not in taken_a]
        return left_a, [one for one in theirs if one.id not in taken_b]


def _polled(request: Request) -> tuple[str, str] | None:
    """What a poll asks after; how often it does so is not compared, as long as it does."""
    if request.method not in keys.POLLS:
        return None
    return request.method, str(request.params.get("terminalId"))


def _frames(some: Sequence[Request]) -> int:
    """How many frames requests are, with their responses."""
    return sum(1 if one.response_frame is None else 2 for one in some)


def there(found: Collector, both: Both | None, where: Where | None) -> Where | None:
    """What the second trace calls a part of a session; None where it has no such turn."""
    if both is None or where is None or where.part not in _TURNS:
        return where
    number = found.turns.get((both[0].id, where.number))
    return None if number is None else Where(where.part, number)


def _named(request: Request, source: str) -> str | None:
    """The session that a request opens."""
    holder = request.params if source == "params" else request.result
    found = holder.get("sessionId") if isinstance(holder, dict) else None
    return found if isinstance(found, str) and request.outcome != "error" else None


def _id(both: Both | None) -> str | None:
    return None if both is None else both[0].id
