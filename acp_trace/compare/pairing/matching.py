"""The requests of one side, of one session or outside of any, in both traces: which matches which.

They keep their order, and match by their keys (`keys`), inside matching turns if they are the agent's. A
changed order is reported, unless the requests were open at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from acp_trace.compare.pairing import request_keys
from acp_trace.compare.pairing.align import Alignment, Items, Keys, align_in_steps
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.protocol import methods
from acp_trace.story.model import Request, SessionPhase

_NEAR = 50  #: matched requests that are looked at, if a request has passed them

#: An expected request, and its actual counterpart.
RequestPair = tuple[Request, Request]


class RequestList(NamedTuple):
    """The requests of one trace, and the place of each, in the terms of the expected trace."""

    requests: Sequence[Request]
    wheres: Sequence[SessionPhase | None]
    normalizer: Normalizer


class MatchedRequests(NamedTuple):
    """Matches, and the rest. `moved`: pairs whose order changed. `twice`: repetitions."""

    pairs: list[RequestPair]
    moved: list[RequestPair]
    missing: list[Request]
    extra: list[Request]
    twice: list[Request]


def match(expected: RequestList, actual: RequestList) -> MatchedRequests:
    """Match requests: first in order, then those that changed their place and are equal in everything.

    For reads of `a`, `b`, `c` and then of `b`, `a`, `c`, all three are pairs, and one of them is `moved`
    unless they were open at once.
    """
    keyed: Keys = _keys(expected), _keys(actual)
    expected_full, actual_full = _full(expected, keyed[0]), _full(actual, keyed[1])
    aligned = _first_of_equals(
        _align(expected, actual, keyed, (expected_full, actual_full)), (expected_full, actual_full)
    )
    in_order = [(expected.requests[i], actual.requests[j]) for i, j in aligned.pairs]
    pairs = list(in_order)
    missing, extra = dict.fromkeys(aligned.missing), dict.fromkeys(aligned.extra)
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for j in reversed(aligned.extra):
        waiting[actual_full[j]].append(j)
    moved: list[RequestPair] = []
    for i in aligned.missing:
        if waiting[expected_full[i]]:
            j = waiting[expected_full[i]].pop()
            del missing[i], extra[j]
            pair = expected.requests[i], actual.requests[j]
            if not _may_move(pair, in_order):
                moved.append(pair)
            pairs.append(pair)
    matched = {actual_full[j] for _, j in aligned.pairs}
    twice = {
        j for j in extra if actual_full[j] in matched and actual.requests[j].method not in methods.OPENERS
    }
    return MatchedRequests(
        sorted(pairs, key=lambda pair: pair[0].frame),
        moved,
        [expected.requests[i] for i in missing],
        [actual.requests[j] for j in extra if j not in twice],
        [actual.requests[j] for j in extra if j in twice],
    )


def once(requests: Sequence[Request]) -> list[Request]:
    """Return the requests, with one for each row of polls for the same thing."""
    kept: list[Request] = []
    for request in requests:
        last = kept[-1] if kept else None
        polled = last is not None and request.method in request_keys.POLLS and request.method == last.method
        if not (polled and last is not None and request.params == last.params):
            kept.append(request)
    return kept


def _align(expected: RequestList, actual: RequestList, keyed: Keys, full: Keys) -> Alignment:
    placed: Keys = _placed(expected, keyed[0]), _placed(actual, keyed[1])
    plain: Keys = _elsewhere(expected, keyed[0]), _elsewhere(actual, keyed[1])
    loose: Keys = _placed(expected, _methods(expected)), _placed(actual, _methods(actual))
    without_hints = align_in_steps(placed, plain, loose)
    if not without_hints.unmatched:
        return without_hints
    with_hints = align_in_steps(full, placed, plain, loose)
    return min(with_hints, without_hints, key=lambda aligned: aligned.unmatched)


def _first_of_equals(aligned: Alignment, full: Keys) -> Alignment:
    """Return the same, but the first of several equal requests get the counterparts.

    A replay answers them in this order, so the recording's last one is the one that did not come.
    """
    columns = []
    for side, left in enumerate((aligned.missing, aligned.extra)):
        free, last, column = set(left), -1, []
        for pair in aligned.pairs:
            at = pair[side]
            first = next(
                (i for i in range(last + 1, at) if i in free and full[side][i] == full[side][at]), at
            )
            free ^= {first, at} if first != at else set()
            column.append(first)
            last = first
        columns.append((column, sorted(free)))
    (expected, missing), (actual, extra) = columns
    return Alignment(list(zip(expected, actual, strict=True)), missing, extra)


def _keys(side: RequestList) -> list[Hashable]:
    return [request_keys.key(request, side.normalizer) for request in side.requests]


def _methods(side: RequestList) -> list[Hashable]:
    return [request.method for request in side.requests]


def _elsewhere(side: RequestList, keyed: Items) -> list[Hashable]:
    """Return the keys by which requests match across turns: for permissions also their subject.

    Their keys only have the kinds of the tool and of the options, which most of a session's share.
    """
    return [
        (key, request_keys.hint(request.method, request.params, side.normalizer))
        if request.method == methods.PERMISSION
        else key
        for request, key in zip(side.requests, keyed, strict=True)
    ]


def _placed(side: RequestList, of: Items) -> list[Hashable]:
    return list(zip(side.wheres, of, strict=True))


def _full(side: RequestList, keyed: Items) -> list[Hashable]:
    return [
        (where, key, request_keys.hint(request.method, request.params, side.normalizer))
        for request, where, key in zip(side.requests, side.wheres, keyed, strict=True)
    ]


def _may_move(pair: RequestPair, in_order: Sequence[RequestPair]) -> bool:
    """Whether everything that this pair changed its place with was open at once with it.

    `in_order` has its order on both sides, so that the passed requests are in a row there.
    """
    expected, actual = pair
    places = (
        bisect_left(in_order, expected.frame, key=lambda each: each[0].frame),
        bisect_left(in_order, actual.frame, key=lambda each: each[1].frame),
    )
    passed = in_order[min(places) : max(places)]
    return len(passed) <= _NEAR and all(_is_parallel(pair, neighbour) for neighbour in passed)


def _is_parallel(pair: RequestPair, neighbour: RequestPair) -> bool:
    """Whether both were open at once in one trace; or are permissions for two announced tool calls."""
    sides = list(zip(pair, neighbour, strict=True))
    return any(_overlap(*side) for side in sides) or all(_announced(*side) for side in sides)


def _overlap(request: Request, neighbour: Request) -> bool:
    first, second = sorted((request, neighbour), key=lambda each: each.frame)
    return first.response_frame is None or first.response_frame > second.frame


def _announced(request: Request, neighbour: Request) -> bool:
    if request.call is None or neighbour.call is None:
        return False
    return max(request.call.frame, neighbour.call.frame) < min(request.frame, neighbour.frame)
