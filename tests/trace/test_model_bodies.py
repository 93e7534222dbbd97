"""Bodies of requests are written as what differs, and come back byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.trace import jsontext, model_bodies, model_copies
from acp_trace.trace.model_bodies import ALONE, Bodies, Likeness, Shortener
from acp_trace.trace.model_copies import Copy


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


def _changing(requests: int) -> list[bytes]:
    """A session in which each request differs from the one before in four places, as those of some agents do.

    The date in the system prompt, a reminder that is put into a message in the middle, the mark of the
    provider's cache that moves to the last message, and an id at the end.
    """
    tools = [{"name": f"tool{n}", "description": f"does {n} things " * 20} for n in range(20)]
    messages: list[dict[str, Any]] = []
    bodies = []
    for n in range(requests):
        messages.append({"role": "user", "content": [{"type": "text", "text": f"{n}: grüße 🐈 " * 10}]})
        shown = json.loads(json.dumps(messages))
        shown[n // 2]["content"].append({"type": "text", "text": f"<reminder>{n} things are to be done"})
        shown[-1]["content"][-1]["cache_control"] = {"type": "ephemeral"}
        body = {
            "model": "m",
            "system": f"Today is the day {n}. " + "".join(f"Rule {rule}: be kind.\n" for rule in range(500)),
            "messages": shown,
            "tools": tools,
            "metadata": {"user_id": f"{n:032}"},
        }
        bodies.append(json.dumps(body, ensure_ascii=False).encode())
    return bodies


@pytest.mark.parametrize("whole", [_conversation(200), _changing(200)], ids=["grows", "changes everywhere"])
def test_a_long_session_takes_a_few_times_its_last_request(whole: list[bytes]) -> None:
    """200 requests, each with the whole conversation: less than twice the last one; and all come back.

    Also if it changes in several places at once: without copies that took 130 times the last one.
    """
    shortener, bodies, size = Shortener(), Bodies(), 0
    for number, body in enumerate(whole, 1):
        likeness = shortener.likeness("h", number, body)
        written = likeness.written(body)
        written.decode()  # no character is cut
        words = jsontext.text(likeness.words())
        size += len(written) + len(words)
        assert bodies.restore("h", number, Likeness.of(json.loads(words)), written) == body
    assert size < 2 * len(whole[-1])


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.text("xyzü🐈", max_size=200)
            | st.lists(st.sampled_from(['{"ab":1', ',"ü🐈x"', ',"öx"', '{"ä', ',"c"}', "x"])).map("".join),
            st.sampled_from(["", "", "lost", "forget"]),
        ),
        max_size=30,
    )
)
def test_any_bodies_come_back(sent: list[tuple[str, str, str]]) -> None:
    """Whatever they have in common, whoever they go to; lost is only what is lost, and what refers to it."""
    shortener, bodies, there = Shortener(), Bodies(), {0}
    with pytest.MonkeyPatch.context() as patch:  # so that short texts are soon too far back
        patch.setattr(model_bodies, "_LAST", 3)
        patch.setattr(model_bodies, "_MOST", 1000)
        patch.setattr(model_bodies, "_ENOUGH", 0)
        for name, value in {"_WORTH": 4, "_KEY": 3, "_APART": 2, "_SPOTS": 20, "_REACH": 9}.items():
            patch.setattr(model_copies, name, value)
        for number, (host, text, event) in enumerate(sent, 1):
            body = text.encode()
            if event == "forget":
                shortener.forget()
            like = shortener.likeness(host, number, body)
            if event == "lost":
                continue
            is_there = {like.like, *(copy.body for copy in like.copies)} <= there
            written = like.written(body)
            written.decode()
            restored = bodies.restore(host, number, like, written)
            assert restored == (body if is_there else None)
            there |= {number} if is_there else set()


def test_a_body_refers_only_to_what_a_reader_has_kept() -> None:
    """The last 16 to its host, and 64 MB of all bodies: docs/trace-format.md promises both to readers."""
    text, near, long = b"x" * 999, b"x" * 150 + b"z" * 849, b"y" * (32 << 20)
    shortener, bodies = Shortener(), Bodies()
    for number in range(1, 18):
        shortener.likeness("other", number, bytes([number]) * 500)
        bodies.restore("h", number, ALONE, text)
    assert bodies.restore("h", 18, Likeness(1, 9, 9), b"") is None
    assert bodies.restore("h", 19, Likeness(2, 9, 9), b"") == b"x" * 18
    assert shortener.likeness("other", 18, bytes([1]) * 500) == ALONE
    assert shortener.likeness("other", 19, bytes([3]) * 500).like == 3

    shortener, bodies = Shortener(), Bodies()
    for number, body in enumerate([text, long, long[999:]], 1):
        shortener.likeness("h", number, body)
        bodies.restore("h", number, ALONE, body)
    assert shortener.likeness("h", 4, near).like == 1
    assert bodies.restore("h", 4, Likeness(1, 150, 0), near[150:]) == near
    assert shortener.likeness("h", 5, text).like == 4
    assert bodies.restore("h", 5, Likeness(1, 9, 9), b"") is None


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
    assert bodies.restore("h", 2, Likeness(1, 1, 1), b"x") is None
    assert bodies.restore("h", 3, Likeness(3, 1, 1), b"x") is None
    assert bodies.restore("h", 4, ALONE, b"abc") == b"abc"
    assert bodies.restore("h", 5, Likeness(4, 2, 2), b"x") is None
    assert bodies.restore("h", 6, Likeness(5, 0, 0), b"x") is None


def test_the_example_of_the_documentation() -> None:
    """The lines under "Bodies" mean what is said below them."""
    page = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text(encoding="utf-8")
    example, below = page.split("### Bodies")[1].split("```")[1:3]
    events = [json.loads(line)["model"] for line in example.splitlines() if line]
    bodies, body = Bodies(), None
    for first, last in zip(events[::2], events[1::2], strict=True):
        words = last["sent_end"]
        body = bodies.restore("h", words["body"], Likeness.of(words), first["sent"].encode())
        assert body is not None
        assert len(body) == words["size"]
    assert body is not None
    assert f"`{body.decode()}`" in below


def test_a_body_is_copied_from_several_others() -> None:
    """What stands at another place, in another body; also if the body is like none at its ends."""
    bodies = Bodies()
    for number, body in enumerate([b"abcdef", b"0123456789"], 1):
        bodies.restore("h", number, ALONE, body)
    copies = [[1, 2, 3, 4], [0, 1, 4, 2], [2, 2, 0, 2]]
    words = {"like": 1, "prefix": 1, "suffix": 1, "copies": copies}
    assert bodies.restore("h", 3, Likeness.of(words), b"-++!") == b"a-3456ef++01!f"
    assert bodies.restore("h", 4, Likeness.of({"copies": copies}), b"-++!") == b"-3456ef++01!"


@pytest.mark.parametrize(
    "copies",
    [
        [[4, 1, 0, 1]],  # more than is written
        [[2, 1, 0, 1], [2, 1, 0, 1]],
        [[0, 1, 6, 1]],  # more than there is
        [[0, 1, 1 << 50, 1 << 50]],
        [[0, 9, 0, 1]],  # no such body
        [[0, 3, 0, 1]],  # itself
        [[0, 2, 0, 10], [0, 1, 0, 1]],  # more than any of them has
        [[0, 1, 0, 1, 1]],
        [[0, 1, 0, -1]],
        [[0, 1, 0, True]],
        [[0, 1, 0, "1"]],
        [[0, 1, 0, 1 << 70]],
        [7],
        {"0": 1},
        None,
    ],
)
def test_copies_that_cannot_be(copies: object) -> None:
    """A hostile trace may say anything: such a body is not there, and nothing refers to it."""
    bodies = Bodies()
    for number, body in enumerate([b"abcdef", b"0123456789"], 1):
        bodies.restore("h", number, ALONE, body)
    assert bodies.restore("h", 3, Likeness.of({"copies": copies}), b"xyz") is None
    assert bodies.restore("h", 4, Likeness(3, 0, 0), b"xyz") is None


def test_a_few_bytes_do_not_become_a_terabyte() -> None:
    """If each body could take the last one twice, forty lines would fill any memory."""
    bodies, size = Bodies(), 1000
    bodies.restore("h", 1, ALONE, b"x" * size)
    for number in range(2, 42):
        twice = Likeness.of({"copies": [[0, number - 1, 0, size]] * 2})
        assert bodies.restore("h", number, twice, b"") is None
        once = Likeness.of({"copies": [[0, number - 1, 0, size]]})
        assert len(bodies.restore("h", number, once, b"") or b"") == size


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=10,
)
_COPY = st.lists(st.integers(-1, 12), min_size=4, max_size=4) | _VALUES


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.integers(-1, 6),
            st.fixed_dictionaries(
                {},
                optional={
                    "like": st.integers(0, 5) | _VALUES,
                    "prefix": st.integers(0, 5) | _VALUES,
                    "suffix": st.integers(0, 5) | _VALUES,
                    "copies": st.lists(_COPY, max_size=4) | _VALUES,
                },
            ),
            st.binary(max_size=12),
        ),
        max_size=12,
    )
)
def test_any_words_are_read(entries: list[tuple[int, dict[str, object], bytes]]) -> None:
    """Nothing raises, and no body is longer than all that is written."""
    bodies, size = Bodies(), 0
    for number, words, written in entries:
        size += len(written)
        body = bodies.restore("h", number, Likeness.of(words), written)
        assert body is None or len(body) <= size


def test_a_number_that_no_body_can_have() -> None:
    """Others would refer to it with words that cannot be."""
    for number in (0, -1, 1 << 60):
        assert Bodies().restore("h", number, ALONE, b"x") is None


@pytest.mark.parametrize(
    "words",
    [
        {"like": True, "prefix": 1, "suffix": 1},
        {"like": 1, "prefix": -1, "suffix": 1},
        {"like": "1"},
        {"copies": [[1, 2]]},
    ],
)
def test_a_likeness_that_cannot_be_is_none(words: dict[str, object]) -> None:
    """A hostile trace may say anything; what says nothing is like no other."""
    assert Likeness.of(words) is None
    assert Likeness.of({}) == ALONE


def test_words_say_only_what_there_is() -> None:
    """A body that is like no other has none; and they read as they were."""
    copies = (Copy(1, 2, 3, 4),)
    assert ALONE.words() == {}
    assert Likeness(1, 0, 2).words() == {"like": 1, "prefix": 0, "suffix": 2}
    assert Likeness(0, 0, 0, copies).words() == {"copies": copies}
    for likeness in (Likeness(1, 0, 2, copies), Likeness(0, 0, 0, copies), Likeness(1, 2, 3)):
        assert Likeness.of(json.loads(jsontext.text(likeness.words()))) == likeness
