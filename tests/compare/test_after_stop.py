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
