"""The requests of one side, of one session or outside of any, on both sides: which is which.

They keep their order, and match by their keys (`keys`), inside of matching turns where they are the
agent's. What was asked in another order counts as such, unless it was asked in parallel.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from acp_trace.compare import keys
from acp_trace.compare.claims import Claimed, Step, claim
from acp_trace.compare.normalizer import Normalizer
from acp_trace.compare.story import Request, Where
from acp_trace.protocol import methods

_NEAR = 50  #: matched requests that one passed which are looked at

Pair = tuple[Request, Request]


class RequestList(NamedTuple):
    """The requests of one trace, and where each stands, as the first trace calls it."""

    requests: Sequence[Request]
    wheres: Sequence[Where | None]
    normalizer: Normalizer


class MatchedRequests(NamedTuple):
    """What belongs together, and what is left. `moved`: pairs whose order changed. `twice`: repetitions."""

    pairs: list[Pair]
    moved: list[Pair]
    missing: list[Request]
    extra: list[Request]
    twice: list[Request]


def match(a: RequestList, b: RequestList) -> MatchedRequests:
    """Matches them."""
    full_a, full_b = _full(a), _full(b)
    claimed = _claim(a, b, full_a, full_b)
    kept = [(a.requests[i], b.requests[j]) for i, j in claimed.pairs]
    pairs = list(kept)
    missing = dict.fromkeys(claimed.missing)
    extra = dict.fromkeys(claimed.extra)
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for j in reversed(claimed.extra):
        waiting[full_b[j]].append(j)
    moved: list[Pair] = []
    for i in claimed.missing:
        if waiting[full_a[i]]:
            j = waiting[full_a[i]].pop()
            del missing[i], extra[j]
            pair = a.requests[i], b.requests[j]
            if not _free(pair, kept):
                moved.append(pair)
            pairs.append(pair)
    taken = {full_b[j] for _, j in claimed.pairs}
    again = {j for j in extra if full_b[j] in taken and b.requests[j].method not in methods.OPENERS}
    return MatchedRequests(
        sorted(pairs, key=lambda pair: pair[0].frame),
        moved,
        [a.requests[i] for i in missing],
        [b.requests[j] for j in extra if j not in again],
        [b.requests[j] for j in extra if j in again],
    )


def once(requests: Sequence[Request]) -> list[Request]:
    """The requests, with one for each row of polls for the same thing."""
    found: list[Request] = []
    for one in requests:
        last = found[-1] if found else None
        polled = last is not None and one.method in keys.POLLS and one.method == last.method
        if not (polled and last is not None and one.params == last.params):
            found.append(one)
    return found


def _claim(a: RequestList, b: RequestList, full_a: list[Hashable], full_b: list[Hashable]) -> Claimed:
    key_a, key_b = _keys(a), _keys(b)
    method_a, method_b = ([one.method for one in side.requests] for side in (a, b))
    placed: Step = list(zip(a.wheres, key_a, strict=True)), list(zip(b.wheres, key_b, strict=True))
    last: Step = list(zip(a.wheres, method_a, strict=True)), list(zip(b.wheres, method_b, strict=True))
    plain = claim(placed, (key_a, key_b), last)
    if not plain.left:
        return plain
    hinted = claim((full_a, full_b), placed, (key_a, key_b), last)
    return min(hinted, plain, key=lambda one: one.left)


def _keys(side: RequestList) -> list[Hashable]:
    return [keys.key(one, side.normalizer) for one in side.requests]


def _full(side: RequestList) -> list[Hashable]:
    keyed = zip(side.requests, side.wheres, _keys(side), strict=True)
    return [(where, key, keys.hint(one.method, one.params, side.normalizer)) for one, where, key in keyed]


def _free(pair: Pair, kept: Sequence[Pair]) -> bool:
    """Whether everything that this pair changed its place with was asked in parallel with it.

    `kept` has its order on both sides, so that what was passed stands in a row there.
    """
    one, other = pair
    places = (
        bisect_left(kept, one.frame, key=lambda both: both[0].frame),
        bisect_left(kept, other.frame, key=lambda both: both[1].frame),
    )
    passed = kept[min(places) : max(places)]
    return len(passed) <= _NEAR and all(_parallel(pair, neighbour) for neighbour in passed)


def _parallel(pair: Pair, neighbour: Pair) -> bool:
    """Open at once on one of the sides; or permissions for tool calls that both were announced already."""
    sides = list(zip(pair, neighbour, strict=True))
    return any(_overlap(*side) for side in sides) or all(_announced(*side) for side in sides)


def _overlap(one: Request, other: Request) -> bool:
    first, second = sorted((one, other), key=lambda request: request.frame)
    return first.response_frame is None or first.response_frame > second.frame


def _announced(one: Request, other: Request) -> bool:
    if one.call is None or other.call is None:
        return False
    return max(one.call.frame, other.call.frame) < min(one.frame, other.frame)
