"""Permissions of several turns: one for another command is another permission, and not one that moved."""

from __future__ import annotations

import pytest

from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, prompt, stop
from tests.replay.lines import START, chunk, may, now, picks, tool
from tests.support import trace


def _turn(id: int, kind: str, command: str = "", option: str = "yes", title: str | None = None) -> list[Said]:
    """A turn with a tool call, and the permission for it if it is about a command."""
    call, about = f"c{id}", {"command": command}
    asked = (
        [may(9 + id, call, title=title or command, rawInput=about), picks(9 + id, option)] if command else []
    )
    end = now(call, "failed" if option == "no" else "completed")
    return [prompt(id), tool(call, kind), *asked, end, chunk("Done."), stop(id)]


@pytest.mark.parametrize("title", [None, "errand"], ids=["title names it", "raw input alone names it"])
def test_a_model_that_calls_other_tools_moves_no_permission(title: str | None) -> None:
    """As opencode and copilot ran: the command of turn 2 takes the place of a write, turn 3 only reads.

    The permission of turn 2 was compared with the rejected one of turn 3: "comes in turn 2 instead of in turn
    3", and "option reject → once". Nobody answered otherwise.
    """
    recorded = [*_turn(1, "execute", "ls", title=title), *_turn(2, "edit"),
                *_turn(3, "execute", "touch refused.txt", "no", title)]  # fmt: skip
    run = [*_turn(1, "execute", "ls", title=title), *_turn(2, "execute", "touch elsewhere.txt", title=title),
           *_turn(3, "read")]  # fmt: skip
    found = codes(compared(trace(*START, *recorded), trace(*START, *run)))
    assert {"permission-missing", "permission-extra"} <= set(found)
    assert not {"request-moved", "permission-answer"} & set(found)


def test_a_permission_that_is_asked_for_a_turn_later_has_moved() -> None:
    """The same command, with the same title: one thing, told once. Where it was, it parts no messages any more."""
    was, after = _turn(1, "execute", "make"), _turn(2, "execute")
    early, late = (
        trace(*START, *turns)
        for turns in ([*was, *after], [*_turn(1, "execute"), *_turn(2, "execute", "make")])
    )
    assert codes(compared(early, late)) == ["request-moved"]
