"""docs/replay.md, What is answered: a permission gets the recorded choice wherever it is still offered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reading.talk import prompt, stop
from tests.replay.lines import OPTIONS, START, gone, may, picks, tool
from tests.replay.playbook import Playbook, recorded

ALLOW, REJECT = OPTIONS
ALWAYS = {"optionId": "always", "name": "Always", "kind": "allow_always"}
SESSION = {"optionId": "session", "name": "For this session", "kind": "allow_once"}


def asked(options: list[dict[str, Any]], kind: str = "edit", choice: str = "yes") -> Any:
    """A turn with one permission: what was recorded."""
    call = tool("c", kind), may(7, options=options), picks(7, choice)
    return recorded(*START, prompt(1), *call, stop(1))


@pytest.mark.parametrize(
    ("before", "now", "choice", "picked"),
    [
        ([ALLOW, REJECT], [ALLOW, ALWAYS, REJECT], "yes", "yes"),
        ([ALLOW, REJECT], [SESSION, ALLOW, REJECT], "yes", "yes"),
        ([ALLOW, ALWAYS, REJECT], [ALLOW, REJECT], "no", "no"),
        ([ALLOW, REJECT], [{**REJECT, "optionId": "1"}, ALWAYS, {**ALLOW, "optionId": "2"}], "yes", "2"),
        ([ALLOW, REJECT], [{**ALLOW, "kind": "allow_always"}, REJECT], "yes", "yes"),
        ([ALLOW, REJECT], [{**ALLOW, "name": "Reject"}, {**REJECT, "name": "Allow"}, ALWAYS], "no", "no"),
        ([ALLOW, SESSION, REJECT], [{**SESSION, "name": "Once"}, REJECT], "session", "session"),
    ],
)
def test_other_options_get_the_recorded_choice(
    before: list[Any], now: list[Any], choice: str, picked: str
) -> None:
    """By its kind and name, by its kind, by its name; more and fewer options beside it change nothing."""
    with Playbook(asked(before, choice=choice)) as book:
        book(*START, prompt(1), tool("c"), may(0, options=now), picks(0, picked), stop(1))


def test_another_kind_of_tool_gets_the_recorded_choice() -> None:
    """What differs is told by the comparison; the turn goes on as it did."""
    with Playbook(asked(OPTIONS)) as book:
        book(*START, prompt(1), tool("c", "execute"), may(0), picks(0), stop(1))


def test_a_choice_that_is_not_offered_any_more_is_not_given() -> None:
    """Nothing stands for it: not what stands in its place."""
    with Playbook(asked([ALLOW, REJECT], choice="no")) as book:
        book(*START, prompt(1), tool("c"), may(0, options=[ALLOW, ALWAYS]))
        assert b"-32602" in book.take()
        book(stop(1)).noticed("request-unmatched", "answer-unused")


def test_a_permission_that_was_cancelled_is_cancelled_whatever_it_offers() -> None:
    """That needs no option."""
    of = recorded(*START, prompt(1), tool("c"), may(7), gone(7), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), tool("c"), may(0, options=[ALWAYS]), gone(0), stop(1))


def test_a_permission_that_is_alike_comes_before_one_that_is_not() -> None:
    """Two of one turn, one with one more option: each gets its own choice."""
    calls = tool("c", "edit"), tool("d", "execute")
    of = recorded(*START, prompt(1), *calls, may(7, "c"), picks(7), may(8, "d"), picks(8, "no"), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), *calls, may(0, "d", options=[*OPTIONS, ALWAYS]), picks(0, "no"))
        book(may(1, "c"), picks(1), stop(1))
