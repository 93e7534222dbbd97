"""The calls of two traces in pairs: which call of one corresponds to which of the other."""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.model.calls import ModelCall
from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.matching.shapes import CallPair, MatchedCall, ModelRequest
from acp_trace.normalize.moved_places import MovedPlaces


def pair_calls(
    recorded: Sequence[ModelCall], actual: Sequence[ModelCall], places: MovedPlaces | None = None
) -> list[CallPair]:
    """Return each call of both in one pair: actual calls in order, then those only in the recording."""
    matcher = Matcher(recorded, places or MovedPlaces(), is_model_live=True)
    pairs: list[CallPair] = []
    taken: set[int] = set()
    for call in actual:
        match = matcher.match(request_of(call))
        if isinstance(match, MatchedCall) and not match.again:
            matcher.learn_answer(match.call, call)
            taken.add(match.call.call)
            pairs.append(CallPair(match.call, call, match.level))
        else:
            pairs.append(CallPair(None, call, None))
    pairs += [CallPair(call, None, None) for call in recorded if call.call not in taken]
    return pairs


def request_of(call: ModelCall) -> ModelRequest:
    """The request of a call."""
    return ModelRequest(
        "GET" if call.recognised.is_socket else "POST", "", call.path, call.headers, call.body
    )
