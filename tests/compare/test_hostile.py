"""Traces made to be slow to compare: the time grows with what comes, whatever is missing, doubled or moved.

As in tests/analyze/test_hostile.py nothing is timed: a count of steps stands for time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.compare.conversation import asks, chunk, compared, permission, tool
from tests.counting import executed_lines
from tests.reading.talk import Said, chosen, hello, opened, prompt, reply, stop, tell, words
from tests.support import trace

_Pair = tuple[list[Said], list[Said]]


def _turn(*said: Said) -> list[Said]:
    return [*hello(), *opened(), prompt("p"), *said, stop("p")]


def _reads(names: list[Any]) -> list[Said]:
    """Files read one after the other."""
    return _turn(
        *(
            said
            for at, name in enumerate(names)
            for said in (asks(at, "fs/read_text_file", path=f"/w/{name}"), reply(at, content=""))
        )
    )


def _at_once(names: list[int]) -> list[Said]:
    """Files asked for before any is answered."""
    asked = [asks(at, "fs/read_text_file", path=f"/w/{name}") for at, name in enumerate(names)]
    return _turn(*asked, *(reply(at, content="") for at in range(len(names))))


def _without(middle: list[Any]) -> list[Any]:
    return [*middle[: len(middle) // 2], *middle[len(middle) // 2 + 1 :]]


def _shuffled(count: int) -> list[int]:
    return random.Random(count).sample(range(count), count)


def _sessions(numbers: list[int]) -> list[Said]:
    every = [[*opened(f"s{n}"), prompt(n, f"s{n}"), words(f"s{n}"), stop(n)] for n in numbers]
    return [*hello(), *(said for one in every for said in one)]


def _turns(numbers: list[int]) -> list[Said]:
    every = [[prompt(n), words(), stop(n)] for n in numbers]
    return [*hello(), *opened(), *(said for one in every for said in one)]


def _calls(numbers: list[int], status: str) -> list[Said]:
    begun = [tool(f"c{n}", "pending", kind="read", title="x") for n in numbers]
    return _turn(*begun, *(tool(f"c{n}", status) for n in reversed(numbers)))


def _permissions(numbers: list[int]) -> list[Said]:
    call = tool("c", "pending", kind="edit", title="x")
    return _turn(call, *(said for n in numbers for said in (permission(n, "c"), chosen(n, optionId="yes"))))


def _chunks(count: int, word: str) -> list[Said]:
    kinds = "agent_message_chunk", "agent_thought_chunk"
    return _turn(*(chunk(f"{word} {n}", kinds[n % 2]) for n in range(count)))


_SCENARIOS: dict[str, Callable[[int], _Pair]] = {
    "one file read again and again, once less": lambda n: (_reads([0] * n), _reads([0] * (n - 1))),
    "other files": lambda n: (_reads([f"a{at}" for at in range(n)]), _reads([f"b{at}" for at in range(n)])),
    "files of few names, in any order": lambda n: (
        _reads([at % 7 for at in _shuffled(n)]),
        _reads([at % 5 for at in _shuffled(n + 1)]),
    ),
    "files in the order of a dice": lambda n: (_reads(list(range(n))), _reads(_shuffled(n))),
    "files last to first": lambda n: (_reads(list(range(n))), _reads(list(range(n))[::-1])),
    "files at once, last to first": lambda n: (_at_once(list(range(n))), _at_once(list(range(n))[::-1])),
    "sessions, one less": lambda n: (_sessions(list(range(n))), _sessions(_without(list(range(n))))),
    "turns, one less": lambda n: (_turns(list(range(n))), _turns(_without(list(range(n))))),
    "tool calls in any order that fail": lambda n: (
        _calls(list(range(n)), "completed"),
        _calls(_shuffled(n), "failed"),
    ),
    "permissions for one tool call, one less": lambda n: (
        _permissions(list(range(n))),
        _permissions(_without(list(range(n)))),
    ),
    "other words by turns": lambda n: (_chunks(n, "a"), _chunks(n + 1, "b")),
    "lines of noise": lambda n: (
        _turn(*[("agent", f"a {at}") for at in range(n)]),
        _turn(*[("agent", f"b {at}") for at in range(n)]),
    ),
    "cancels without end": lambda n: (
        _turn(*[tell("client", "session/cancel", sessionId="s")] * n),
        _turn(*[tell("client", "session/cancel", sessionId="s")] * (n + 1)),
    ),
    "a trace that breaks off": lambda n: (_reads(list(range(n))), _reads(list(range(n)))[: n // 2]),
}


def _steps(pair: _Pair) -> int:
    """Lines of Python that the comparison executes, at the level that does all that the others do."""
    ours, theirs = (trace(*said) for said in pair)
    return executed_lines(lambda: compared(ours, theirs, "exact"))


@pytest.mark.parametrize("scenario", _SCENARIOS)
def test_twice_as_much_takes_twice_as_long(scenario: str) -> None:
    """Four times the frames take no more than six times the steps (sixteen, were it quadratic)."""
    small, large = _SCENARIOS[scenario](100), _SCENARIOS[scenario](400)
    assert _steps(large) < 6 * _steps(small)


@pytest.mark.parametrize("kind", [[], ["edit"], {}, {"kind": "edit"}])
def test_a_kind_that_is_in_no_set(kind: Any) -> None:
    """A permission is asked for with a list or an object in the place of a kind."""

    def asked(kind: Any) -> bytes:
        asks_for = asks(
            1, "session/request_permission", toolCall={"toolCallId": "c", "kind": kind}, options=[]
        )
        return trace(*_turn(tool("c", kind="read"), asks_for, chosen(1, "cancelled")))

    assert compared(asked("edit"), asked(kind)).divergences
    assert compared(asked(kind), asked("edit")).divergences
