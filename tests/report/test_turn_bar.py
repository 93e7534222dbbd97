"""The bar of a turn: where its time went, with the model in sight."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.facts import Turn
from acp_trace.report.text import turns
from acp_trace.report.text.turn_bar import bar, has_bar, legend
from tests.handmade import made

_MS = 1_000_000


def _turn(model: int, tool: int, client: int, own: int, **given: object) -> Turn:
    parts = {"model_ns": model, "tool_ns": tool, "client_ns": client, "own_ns": own}
    return made(Turn, **{**parts, "model_calls": 3, "first_output_ns": 1_200 * _MS, "t_ns": 0, **given})


def _told(turn: Turn, width: int) -> str:
    return "".join(cell.text for cell in bar(turn, width)).replace("\u00a0", " ")


def test_each_part_has_its_sign_and_its_figure() -> None:
    """In one order: model, tools, client, own. Where there is room, with their names."""
    turn = _turn(3_200 * _MS, 1_400 * _MS, 800 * _MS, 120 * _MS)
    assert _told(turn, 80) == (
        "███████▒▒▒──  █  3.20s  ▒  1.40s  ─  800ms  ·  120ms  3 calls · first output 1.20 s"
    )
    assert _told(turn, 140) == (
        "█████████▒▒▒▒──·  model  3.20s  tools  1.40s  client  800ms  own  120ms  3 calls · first output 1.20 s"
    )
    assert legend().plain.replace("\u00a0", " ") == "█ model  ▒ tools  ─ client  · own"


def test_an_unknown_part_has_a_place_only_where_there_is_one() -> None:
    """The columns of all other traces stay as they are."""
    turn = _turn(3_200 * _MS, 0, 0, 120 * _MS, unknown_ns=800 * _MS)
    told = _told(turn, 140)
    assert told.endswith("own  120ms  unknown  800ms  3 calls · first output 1.20 s")
    assert told.split("  ")[0] == "████████████·???"
    assert legend([turn]).plain.replace("\u00a0", " ") == "█ model  ▒ tools  ─ client  · own  ? unknown"
    assert "unknown" not in legend([_turn(1, 1, 1, 1)]).plain


@pytest.mark.parametrize("width", [80, 140])
def test_figures_of_all_turns_are_below_each_other(width: int) -> None:
    """A part that took no time leaves its place empty."""
    whole = _told(_turn(3_200 * _MS, 1_400 * _MS, 800 * _MS, 120 * _MS), width)
    other = _told(_turn(4_000 * _MS, 0, 0, 44 * _MS, model_calls=1, first_output_ns=None), width)
    assert whole.index("3 calls") == other.index("1 call · no output")
    assert whole.index("120ms") == other.index("44.0ms") + 1
    assert "0" not in other[: other.index("4.00s")]


@given(st.lists(st.integers(0, 10**15), min_size=4, max_size=4))
def test_a_bar_is_always_as_long(shares: list[int]) -> None:
    """Each part is at most one sign off its share; a turn that took no time has no bar."""
    told = _told(_turn(shares[0], shares[1], shares[2], shares[3]), 140).split("  ")[0]
    if not sum(shares):
        assert told == ""
        return
    assert len(told) == 16
    for sign, share in zip("█▒─·", shares, strict=True):
        assert abs(told.count(sign) - 16 * share / sum(shares)) < 1
    assert told == "".join(sorted(told, key="█▒─·".index))


def test_without_the_models_side_a_turn_has_its_parts() -> None:
    """And one that is open, too: what its model took is known when it has settled."""
    turn = made(Turn, t_ns=0, duration_ns=2 * _MS, before_output_ns=2 * _MS, first_output_ns=2 * _MS)
    assert not has_bar(turn)
    assert [cell.text for cell in turns.event(turn).note] == ["first\u00a0output\u00a02.00\u00a0ms"]
    assert has_bar(_turn(0, 0, 0, 0))
