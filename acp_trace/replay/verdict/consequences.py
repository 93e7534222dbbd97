"""What followed from a request that the player itself refused: not the agent's fault. Pure.

After a refusal the agent is unpredictable. So later differences, in the turn of the refused request and up to
the next turn, are marked as its consequences; so is the end of a run in which no turn has ended well since
then. They are still reported.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace.analyze.facts import Facts
from acp_trace.compare.result import Divergence
from acp_trace.compare.run_order import RunOrder, is_left_open
from acp_trace.trace.entries import AFTER_ALL

#: Ends of a run, which do not name a session.
_STUCK = frozenset({"timeout", "agent-gone"})


class Refusal(NamedTuple):
    """A refused request of the run. `session`: its recorded name.

    `reported_at`: the frame at which it is reported, if that is not its own.
    """

    frame: int
    session: str | None
    reported_at: int | None = None

    @property
    def cause(self) -> int:
        """The frame that its consequences name as their cause."""
        return self.frame if self.reported_at is None else self.reported_at


class _Scope(NamedTuple):
    """What a refusal can have caused: frames of the run, and of the recording."""

    refusal: Refusal
    begin: int  #: the prompt of the run before it
    end: int  #: the next prompt of the run
    common: int  #: frames of the recording up to this one of the run came before it
    expected: range  #: the same turn, up to the next one, in the recording

    def has(self, divergence: Divergence) -> bool:
        """Whether a divergence of the same session is in it."""
        if divergence.got_event is not None:
            begin = self.begin if is_left_open(divergence) else self.refusal.frame + 1
            return begin <= divergence.got_event.frame < self.end
        if divergence.expected_event is None or divergence.expected_event.frame not in self.expected:
            return False
        return divergence.common_got is None or divergence.common_got.frame >= self.common


def marked(
    divergences: Sequence[Divergence],
    refusals: Iterable[Refusal],
    expected: Facts,
    actual: Facts,
    order: RunOrder,
) -> list[Divergence]:
    """Return the divergences; each consequence of a refusal names the first such request.

    `expected` and `actual` are the facts of the recording and of the run, `order` is that of both.
    """
    scopes: dict[tuple[str | None, int], _Scope] = {}  #: of the first refusal of each turn
    for scope in _scopes(refusals, divergences, expected, actual):
        scopes.setdefault((scope.refusal.session, scope.end), scope)
    of_session: dict[str | None, list[_Scope]] = defaultdict(list)
    for scope in scopes.values():
        of_session[scope.refusal.session].append(scope)
    stuck = _stuck(scopes.values(), actual)
    result = []
    for divergence in divergences:
        if stuck is not None and divergence.code in _STUCK:
            result.append(order.following(divergence, actual=stuck))
            continue
        cause = next((each for each in of_session[divergence.session_id] if each.has(divergence)), None)
        follows = cause is not None and order.following(divergence, actual=cause.refusal.cause)
        result.append(follows or divergence)
    return result


def _stuck(scopes: Iterable[_Scope], actual: Facts) -> int | None:
    """Return the first refusal since which no turn of the run ended well; None if there is none."""
    well = [turn.settled_frame or 0 for turn in actual.turns if turn.stop_reason is not None]
    last = max(well, default=0)
    return min((scope.refusal.cause for scope in scopes if scope.refusal.frame > last), default=None)


def _scopes(
    refusals: Iterable[Refusal], divergences: Iterable[Divergence], expected: Facts, actual: Facts
) -> Iterator[_Scope]:
    in_order = sorted(refusals, key=lambda each: each.frame)
    if not in_order:
        return
    sessions = {exchange.frame: exchange.session_id for exchange in actual.exchanges}
    opened = ([session.session_id for session in facts.sessions] for facts in (expected, actual))
    names: dict[str | None, str] = dict(zip(*opened, strict=False))
    begins, recorded = _begins(actual), _begins(expected)
    before: dict[int, int] = {}  #: the last frame that both have before a request without a counterpart
    for divergence in divergences:
        alone = divergence.expected_event is None or divergence.code == "request-unmatched"
        if divergence.got_event is not None and alone:
            common = divergence.common_got
            before[divergence.got_event.frame] = 0 if common is None else common.frame
    for refusal in in_order:
        # A model call may be at any frame of the run.
        turns = begins[sessions.get(refusal.frame, names.get(refusal.session))]
        number = bisect_right(turns, refusal.frame)
        end = turns[number] if number < len(turns) else AFTER_ALL
        of_turn = [0, *recorded[refusal.session], AFTER_ALL][number : number + 2]
        frames = range(*of_turn) if len(of_turn) > 1 else range(0)
        begin = turns[number - 1] if number else 0
        yield _Scope(refusal, begin, end, before.get(refusal.frame, refusal.frame), frames)


def _begins(facts: Facts) -> dict[str | None, list[int]]:
    """Return the frames of the prompts, by session."""
    begins: dict[str | None, list[int]] = defaultdict(list)
    for turn in facts.turns:
        begins[turn.session_id].append(turn.frame)
    return begins
