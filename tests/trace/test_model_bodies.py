"""Bodies of requests are written as what differs, and come back byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.trace.model_bodies import ALONE, Bodies, Likeness, Shortener


def _conversation(requests: int) -> list[bytes]:
    """The bodies of a session: a long system prompt, tools behind the messages, one message more each time."""
    tools = [{"name": f"tool{n}", "description": f"does {n} things " * 20} for n in range(20)]
    messages = [{"role": "system", "content": "Be kind. " * 2000}]
    bodies = []
    for n in range(requests):
        messages.append({"role": "user", "content": f"{n}: grüße 🐈 " * 10})
        bodies.append(
            json.dumps({"model": "m", "messages": messages, "tools": tools}, ensure_ascii=False).encode()
        )
    return bodies


def test_a_long_session_takes_a_few_times_its_last_request() -> None:
    """200 requests, each with the whole conversation: less than twice the last one; and all come back."""
    shortener, bodies, written = Shortener(), Bodies(), 0
    whole = _conversation(200)
    for number, body in enumerate(whole, 1):
        likeness = shortener.likeness("h", number, body)
        middle = body[likeness.prefix : len(body) - likeness.suffix]
        middle.decode()  # no character is cut
        written += len(middle)
        bodies.add(number, likeness, middle)
    assert written < 2 * len(whole[-1])
    for number in (200, 1, 57, 199):
        assert bodies.get(number) == whole[number - 1]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text("xyzü🐈", max_size=400)), max_size=30))
def test_any_bodies_come_back(texts: list[tuple[str, str]]) -> None:
    """Whatever they have in common, and whoever they go to."""
    shortener, bodies = Shortener(), Bodies()
    for number, (host, text) in enumerate(texts, 1):
        body = text.encode()
        likeness = shortener.likeness(host, number, body)
        bodies.add(number, likeness, body[likeness.prefix : len(body) - likeness.suffix])
    assert [bodies.get(number) for number in range(1, len(texts) + 1)] == [text.encode() for _, text in texts]


def test_no_character_is_cut() -> None:
    """`ä` and `ö` begin with the same byte, `ä` and `Ĥ` end with the same."""
    for one, other in (("ä" * 200 + "ä", "ä" * 200 + "ö"), ("ä" + "x" * 200, "Ĥ" + "x" * 200)):
        shortener = Shortener()
        shortener.likeness("h", 1, one.encode())
        body = other.encode()
        likeness = shortener.likeness("h", 2, body)
        assert likeness.like == 1
        assert body[likeness.prefix : len(body) - likeness.suffix].decode() == other.strip("x").lstrip("ä")


def test_sessions_side_by_side_are_each_like_their_own() -> None:
    """Two conversations take turns: a request is like the one before the last, not like the last."""
    shortener = Shortener()
    for number, body in enumerate([b"a" * 999, b"b" * 999], 1):
        assert shortener.likeness("h", number, body) == ALONE
    assert shortener.likeness("h", 3, b"a" * 999 + b"!").like == 1
    assert shortener.likeness("other", 4, b"a" * 999) == ALONE
    shortener.forget()
    assert shortener.likeness("h", 5, b"a" * 999) == ALONE


def test_what_is_lost_is_told_as_lost() -> None:
    """A body that refers to one that is not there, to itself, or to more than there is."""
    bodies = Bodies()
    bodies.add(2, Likeness(1, 1, 1), b"x")
    bodies.add(3, Likeness(3, 1, 1), b"x")
    bodies.add(4, ALONE, b"abc")
    bodies.add(5, Likeness(4, 2, 2), b"x")
    assert [bodies.get(number) for number in range(1, 6)] == [None, None, None, b"abc", None]


@pytest.mark.parametrize(
    "words",
    [{}, {"like": True, "prefix": 1, "suffix": 1}, {"like": 1, "prefix": -1, "suffix": 1}, {"like": "1"}],
)
def test_a_likeness_that_cannot_be_is_none(words: dict[str, object]) -> None:
    """A hostile trace may say anything: its bodies are then like no other."""
    assert Likeness.of(words) == ALONE
