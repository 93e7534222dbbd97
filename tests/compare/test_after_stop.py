"""Agents that answer a prompt beside its updates: which of them come after the stop is chance, and not told."""

from __future__ import annotations

import pytest

from tests.compare.conversation import Edit, base, both, chunk, codes, compared, file, later, put

_LATE = {name: put(name, chunk("P.S.")) for name in ("stop 1", "stop 2", "stop 3")}


@pytest.mark.parametrize(
    ("recorded", "run", "told"),
    [
        # opencode 1.2.27 against itself: in most turns, in others of them, and more of the turn
        (("stop 1", "stop 3"), both(_LATE["stop 1"], _LATE["stop 2"], _LATE["stop 3"]), []),
        (("stop 1", "stop 3"), both(later("edit end", "stop 1"), _LATE["stop 2"]), []),
        # in one turn of three that has a reason of its own
        (("stop 2",), both(_LATE["stop 1"], _LATE["stop 2"]), ["update-after-stop"]),
    ],
)
def test_where_most_turns_of_the_recording_go_on_after_their_stop(
    recorded: tuple[str, ...], run: Edit, told: list[str]
) -> None:
    """Then the agent orders its answer and its updates by chance."""
    expected = both(*(_LATE[name] for name in recorded))
    assert codes(compared(file(expected(base())), file(run(base())))) == told


def test_a_text_that_a_late_build_ends_after_the_next_prompt() -> None:
    """That it goes on after its stops is told; a text that comes that late is no other one of the next turn."""
    late = both(put("stop 1", chunk(" so")), put("prompt 2", chunk(" far")), _LATE["stop 3"])
    expected = put("bye", chunk(" so far"))
    found = compared(file(expected(base())), file(late(base())), "content")
    assert set(codes(found)) == {"update-after-stop"}


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        ("stop 1", "prompt 2", []),
        ("prompt 2", "stop 1", []),
        (None, "prompt 2", ["content-differs"]),
    ],
)
def test_the_end_of_a_text_that_comes_after_the_next_prompt(
    expected: str | None, actual: str, told: list[str]
) -> None:
    """It belongs to the turn before: whether the next prompt overtakes it is chance, too."""
    beside = _LATE["stop 3"], put("stop 2", chunk("…"))
    recorded = both(*beside, *([put(expected, chunk("P.S."))] if expected else []))
    run = both(*beside, put(actual, chunk("P.S.")))
    found = compared(file(recorded(base())), file(run(base())), "content")
    assert codes(found) == told
