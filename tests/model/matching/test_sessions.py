"""Agents with several sessions at once, replayed in another order: each request gets its own answer."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.matching.shapes import MatchedCall
from acp_trace.normalize.moved_places import MovedPlaces
from tests.model.matching.calls import asks, body, recorded, request, tool

WORDS = ("look around", "fix it", "sum up")


class Side(NamedTuple):
    """What a run makes anew: the beginning of its directories and ids, the day, what a tool prints."""

    directory: str
    id: str
    day: str
    printed: str


WAS = Side("/home/ann/shop", "0b8e3f4a-1111-4222-8333-44445555666", "2026-11-22", "total 8 at 02:24")
NOW = Side("/tmp/run/elsewhere", "9c1d2e3f-aaaa-4bbb-8ccc-ddddeeeefff", "Jan 4, 2027", "total 16 at 02:59")


class Conversation:
    """A session of a small agent that runs a tool in each turn."""

    def __init__(self, side: Side, number: int, directory: int, words: list[str]) -> None:
        self.side, self.number, self.words = side, number, list(words)
        self.cwd = f"{side.directory}/p{directory}"
        self.messages: list[Any] = [
            {"role": "system", "content": f"In {self.cwd}, on {side.day}."},
        ]
        self.answers: list[str] = []
        self.next()

    def next(self) -> None:
        if self.words:
            self.messages.append({"role": "user", "content": f"{self.words.pop(0)} in {self.cwd}"})

    def request(self) -> dict[str, Any]:
        return body(*self.messages, user=f"{self.side.id}{self.number}")

    def take(self, answer: str) -> None:
        """The answer of the model, a tool and what it printed, and the next prompt."""
        self.answers.append(answer)
        id = f"call_{len(self.messages)}"
        printed = f"{self.side.printed} {self.cwd}"
        self.messages += [{"role": "assistant", "content": answer}, asks(id=id), tool(printed, id)]
        self.next()


class Drawn(NamedTuple):
    """The prompts of each session, whether each has a directory of its own, and two orders of their turns.

    Sessions in one directory say either all the same, or each something else.
    """

    words: list[list[str]]
    apart: bool
    order: list[int]
    other_order: list[int]


@st.composite
def sessions(draw: st.DrawFn) -> Drawn:
    words = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), min_size=1, max_size=3))
    kind = draw(st.sampled_from(("apart", "alike", "others")))
    if kind == "alike":
        words = [words[0] for _ in words]
    if kind == "others":
        words = [[f"{number}: {word}" for word in each] for number, each in enumerate(words)]
    turns = [number for number, each in enumerate(words) for _ in each]
    orders = [draw(st.permutations(turns)) for _ in range(2)]
    return Drawn(words, kind == "apart", orders[0], orders[1])


def conversations(side: Side, words: list[list[str]], *, apart: bool) -> list[Conversation]:
    return [Conversation(side, number, number if apart else 0, each) for number, each in enumerate(words)]


@given(sessions())
def test_each_session_gets_the_answers_of_one_recorded_session(
    drawn: Drawn,
) -> None:
    """In any order, moved, on another day, with other outputs: each call is served once, none is missed."""
    words, apart, order, other_order = drawn
    old = conversations(WAS, words, apart=apart)
    bodies: list[dict[str, Any]] = []
    whose: list[int] = []
    for number in order:
        bodies.append(old[number].request())
        whose.append(number)
        old[number].take(f"answer {len(bodies)}")
    new = conversations(NOW, words, apart=apart)
    places = MovedPlaces.of(list(zip((each.cwd for each in old), (each.cwd for each in new), strict=True)))
    matcher = Matcher(recorded(*bodies), places, loose=False)
    served: dict[int, list[int]] = {}
    for number in other_order:
        match = matcher.match(request(new[number].request()))
        assert isinstance(match, MatchedCall)
        assert not match.again
        served.setdefault(number, []).append(match.call.call)
        new[number].take(f"answer {match.call.call}")
    for number, calls in served.items():
        (owner,) = {whose[call - 1] for call in calls}
        assert words[owner] == words[number]
        assert calls == sorted(calls)
        assert owner == number or not apart


@given(sessions(), st.integers(0, 8), st.sampled_from(("another", "answer 1x", "")))
def test_a_request_that_nobody_recorded_is_never_answered(drawn: Drawn, at: int, changed: str) -> None:
    """Other words of the user are another request, however much else is the same."""
    words, apart, order, _ = drawn
    old = conversations(WAS, words, apart=apart)
    bodies = []
    for number in order:
        bodies.append(old[number].request())
        old[number].take(f"answer {len(bodies)}")
    matcher = Matcher(recorded(*bodies), MovedPlaces())
    asked = bodies[at % len(bodies)]
    user = [n for n, message in enumerate(asked["messages"]) if message["role"] == "user"][-1]
    messages = [*asked["messages"]]
    messages[user] = {"role": "user", "content": changed}
    assert not isinstance(matcher.match(request({**asked, "messages": messages})), MatchedCall)
