"""Where the time of a trace went."""

from __future__ import annotations

import pytest

from acp_trace.analyze.facts import Facts, Turn
from acp_trace.report.session_names import names_of
from acp_trace.report.statements.time_spent import TimeSpent, sentence, time_spent
from tests.handmade import made, trace

_S = 1_000_000_000


def _trace(*turns: tuple[int, int | None], **given: object) -> Facts:
    """A trace of 10 s with these turns: begin and duration in seconds."""
    found = [
        made(
            Turn,
            turn=n,
            frame=n + 1,
            t_ns=begin * _S,
            duration_ns=None if took is None else took * _S,
            **given,
        )
        for n, (begin, took) in enumerate(turns)
    ]
    return trace("t", *found, duration_ns=10 * _S, last_frame_ns=9 * _S)


@pytest.mark.parametrize(
    ("turns", "parts"),
    [
        ([(2, 3)], (2, 3, 0, 5)),
        ([(2, 3), (6, 1)], (2, 4, 1, 3)),
        ([(2, 3), (4, 4)], (2, 6, 0, 2)),  # of two sessions, at the same time
        ([(2, 3), (6, None)], (2, 7, 1, 0)),  # open at the end
        ([(0, 10)], (0, 10, 0, 0)),
    ],
)
def test_the_parts_add_up(turns: list[tuple[int, int | None]], parts: tuple[int, ...]) -> None:
    """To the time of the trace; turns at the same time count once."""
    assert time_spent(_trace(*turns)) == TimeSpent(10 * _S, *(part * _S for part in parts))
    assert sum(parts) == 10


def test_nothing_is_known_of_a_part_and_without_turns() -> None:
    """A selection has no last frame; a trace without a prompt has no time before it."""
    assert time_spent(_trace()) is None
    (turn,) = _trace((2, 3)).turns
    assert time_spent(trace("t", turn, duration_ns=10 * _S)) is None


def test_what_it_says() -> None:
    """The turns, whose time that was, and what is outside of them if anything is."""
    facts = _trace((2, 3), (6, 1), model_ns=_S, own_ns=2 * _S, tool_ns=0, client_ns=0, unknown_ns=0)
    spent = time_spent(facts)
    assert spent is not None
    assert sentence(spent, facts.turns, names_of(facts)) == (
        "2 turns took 4.00 s of 10.0 s: agent 4.00 s, model 2.00 s. "
        "Outside: 2.00 s before, 1.00 s between, 3.00 s after."
    )
    facts = _trace((0, 10))
    spent = time_spent(facts)
    assert spent is not None
    assert sentence(spent, facts.turns, names_of(facts)) == "1 turn took 10.0 s of 10.0 s."


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ([(0, 3), (4, 1)], ""),
        ([(0, 1), (2, 3), (6, 1)], "Turn 1 (#2) was the slowest: 3.00 s."),
        ([(0, 3), (3, 3), (6, 1)], ""),
        ([(0, 1), (2, 2), (6, None)], ""),
    ],
)
def test_the_slowest_of_several_turns_is_named(turns: list[tuple[int, int | None]], said: str) -> None:
    """Unless two took as long. A turn that never settled has no duration."""
    facts = _trace(*turns)
    spent = time_spent(facts)
    assert spent is not None
    words = sentence(spent, facts.turns, names_of(facts))
    assert (said in words) if said else ("slowest" not in words)
