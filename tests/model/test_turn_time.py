"""Where the time of a turn went: each moment once."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.analyze import turn_time as without_model
from acp_trace.model.turn_time import TurnParts, parts
from acp_trace.trace.intervals import Interval

_MOMENTS = st.integers(-20, 120)
_INTERVALS = st.lists(st.tuples(_MOMENTS, _MOMENTS), max_size=6)


@settings(max_examples=40)
@given(st.integers(0, 100), _INTERVALS, _INTERVALS, _INTERVALS)
def test_the_four_add_up_and_are_what_a_count_of_moments_says(
    duration: int, client: list[Interval], model: list[Interval], tools: list[Interval]
) -> None:
    """By the order client, model, tools, own; and `client` is what the split without a model says."""
    claims = {"client": client, "model": model, "tool": tools}
    split = parts((0, duration), client=client, model=model, tools=tools)
    assert split.client_ns + split.model_ns + split.tool_ns + split.own_ns == duration
    counted = dict.fromkeys((*claims, "own"), 0)
    for moment in range(duration):
        working = [name for name, claim in claims.items() if any(a <= moment < b for a, b in claim)]
        counted[[*working, "own"][0]] += 1
    assert counted == {name: getattr(split, f"{name}_ns") for name in counted}
    other = without_model.split((0, duration), None, permissions=client[:2], requests=client[2:], tools=tools)
    assert other.permissions_ns + other.requests_ns == split.client_ns


def test_a_turn_with_a_subagent_and_a_permission() -> None:
    """The model writes a call (announced at 8), a permission, the tool; a subagent's model works inside of a tool."""
    split = parts((0, 100), client=[(12, 30)], model=[(2, 10), (50, 70), (90, 98)], tools=[(8, 40), (42, 80)])
    assert split == TurnParts(client_ns=18, model_ns=36, tool_ns=30, own_ns=16)


def test_a_turn_of_no_time() -> None:
    """Nothing is negative, also in one that ends before it begins."""
    assert parts((5, 5), model=[(0, 9)]) == TurnParts(0, 0, 0, 0)
    assert parts((5, 3), model=[(0, 9)]) == TurnParts(0, 0, 0, 0)
