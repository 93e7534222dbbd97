"""`exact` and a turn that was cancelled in both traces: how far it got is chance, what it said until then is not."""

from __future__ import annotations

import pytest

from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, cancel, hello, opened, prompt, stop, up
from tests.support import trace

_START = [*hello(), *opened()]


def said(*texts: str) -> list[Said]:
    """Chunks of a message."""
    return [up("agent_message_chunk", content={"type": "text", "text": text}) for text in texts]


def turn(before: str, after: str = "", reason: str = "cancelled") -> list[Said]:
    """A cancelled turn, with a chunk for each letter before the cancel and after it."""
    return [*_START, prompt(1), *said(*before), cancel(), *said(*after), stop(1, reason)]


def told(expected: list[Said], actual: list[Said]) -> list[str]:
    """The codes at `exact`."""
    return codes(compared(trace(*expected), trace(*actual), match="exact"))


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (turn("abc"), turn("ab")),
        (turn("ab"), turn("abcd")),
        (turn("ab", "cd"), turn("ab", "c")),
        (turn("ab", "!"), turn("abcd", "!")),
        (turn("abcd", "!"), turn("ab", "!")),
        (turn("ab", "x"), turn("ab", "y")),
    ],
)
def test_how_far_it_got_is_chance(expected: list[Said], actual: list[Said]) -> None:
    """A few chunks more or fewer at the cancel, and what the agent says of it."""
    assert told(expected, actual) == []
    assert told(actual, expected) == []


def test_what_it_said_until_then_is_not() -> None:
    """A chunk that is lost, one that is new, another text."""
    assert told(turn("abcd"), turn("acd")) == ["frame-missing"]
    assert told(turn("abcd"), turn("abxcd")) == ["frame-extra"]
    assert told(turn("abcd"), turn("abxd")) == ["frame-differs"]


def test_a_turn_that_was_not_cancelled_has_no_slack() -> None:
    """In either trace."""
    plain = [*_START, prompt(1), *said("a", "b"), stop(1)]
    assert told(plain, [*_START, prompt(1), *said("a"), stop(1)]) == ["frame-missing"]
    assert "frame-extra" in told(plain, turn("abc"))


@pytest.mark.parametrize(
    ("updates", "step", "before", "told"),
    [
        (9, 600_000_000, 1, ["cancel-later"]),
        (9, 1_000_000, 1, []),  # at once: they were on their way
        (3, 4_000_000_000, 1, []),  # late, but without work: a slow machine
        (9, 600_000_000, 6, []),  # as in the expected trace
    ],
)
def test_a_cancel_that_is_obeyed_far_later_is_a_note(
    updates: int, step: int, before: int, told: list[str]
) -> None:
    """With the same stop reason. It fails nothing; time alone and work alone are chance."""

    def played(count: int) -> bytes:
        return trace(*turn("ab", "x" * count), step=step)

    comparison = compared(played(before), played(updates), match="semantic")
    assert comparison.failing == []
    found = [each for each in comparison.notes if each.code == "cancel-later"]
    assert [each.code for each in found] == told
    assert [each.message for each in found] == [
        "cancel obeyed later: it went on for 6.00 s and 9 updates; in the expected trace, for 1.20 s and 1 update"
    ] * len(told)
