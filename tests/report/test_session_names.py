"""Names of sessions and turns as reports show them."""

from __future__ import annotations

import pytest

from acp_trace.analyze.facts import Session, Turn
from acp_trace.report.selection import NoSuchTurn, select, turn_span
from acp_trace.report.session_names import COLOURS, SessionNames, names_of, turn_of
from tests.handmade import made, trace


def _named(count: int) -> SessionNames:
    return SessionNames({f"id{number}": f"S{number}" for number in range(1, count + 1)})


def test_one_session_needs_no_name() -> None:
    """It has one all the same, for addresses and documents."""
    names = _named(1)
    assert (names.turn("id1", 0), names.label("id1", 0), names.beside("id1")) == ("turn 0", "turn 0", "")
    assert (names.heading("id1", 0), names.turn_name("id1", 0), names.colour("id1")) == ("Turn 0", "S1.0", 0)


def test_of_several_each_is_named() -> None:
    """A session that is not in the facts, by the end of its id."""
    names = _named(2)
    assert (names.turn("id2", 3), names.label("id2", 3)) == ("turn S2.3", "S2.3")
    assert (names.heading("id2", 3), names.beside("id2"), names.colour("id2")) == ("Turn S2.3", "S2", 2)
    assert (names.of("a-stranger-far-away"), names.of(None), names.colour(None)) == ("…-far-away", "", 0)


def test_colours_begin_again() -> None:
    """There are only so many."""
    names = _named(COLOURS + 1)
    assert [names.colour(f"id{number}") for number in (1, COLOURS, COLOURS + 1)] == [1, COLOURS, 1]


def test_names_of_a_trace_that_grows() -> None:
    """They are asked for when a new session is named; how many there are decides what is said."""
    known = {"a": "S1"}
    names = SessionNames({}, lambda: dict(known))
    assert (names.of("a"), names.label("a", 0)) == ("S1", "turn 0")
    known["b"] = "S2"
    assert (names.of("a"), names.label("a", 0)) == ("S1", "turn 0")
    assert (names.of("b"), names.label("a", 0)) == ("S2", "S1.0")


def test_one_session_of_several_keeps_its_name() -> None:
    """Also where only its facts are left, and a turn of it is asked for."""
    sessions = [made(Session, session_id=id_, name=name) for id_, name in (("a", "S1"), ("b", "S2"))]
    turns = [made(Turn, session_id=id_, turn=0) for id_ in "ab"]
    part = select(trace("t", *sessions, *turns), session="s2")
    assert names_of(part).label("b", 0) == "S2.0"
    assert [turn.session_id for turn in select(part, turn="S2.0").turns] == ["b"]
    with pytest.raises(NoSuchTurn, match="there is no session S1: this trace has S2"):
        turn_span(part, "S1.0")


def test_an_id_that_looks_like_a_name() -> None:
    """What is an id as a whole is that session."""
    sessions = [made(Session, session_id=id_, name=name) for id_, name in (("S2", "S1"), ("b", "S2"))]
    assert select(trace("t", *sessions), session="S2").sessions == sessions[:1]


@pytest.mark.parametrize(
    "text", ["", "S2", "S2.", ".0", "S02.0", "S0.0", "S2.0.0", "-1", "1e3", "٣", "S2.0\n x"]
)
def test_what_is_no_turn(text: str) -> None:
    """Everything but a number, and a name with a number."""
    assert turn_of(text) is None


def test_what_is_a_turn() -> None:
    """However it is spelled."""
    assert [turn_of(text) for text in ("7", "s2.0", " S12.34 ")] == [(None, 7), ("S2", 0), ("S12", 34)]
