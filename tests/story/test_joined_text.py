"""What the chunks of a message show: their text, and whether it is there twice."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from acp_trace.story.joined_text import MOST, JoinedText


def joined(*texts: str) -> JoinedText:
    """The chunks with these texts."""
    shown = JoinedText()
    for text in texts:
        shown.add(_frame({"type": "text", "text": text}))
    return shown


def _frame(content: object) -> bytes:
    return json.dumps({"params": {"update": {"content": content}}}).encode()


@pytest.mark.parametrize(
    ("texts", "is_twice"),
    [
        (["It is ", "It is ", "short.", "short."], True),
        (["It is It is ", "short.short."], True),
        (["It is ", "short, I think.", "It is short, I think."], True),
        (["It is ", "short.", " It is ", "short."], False),
        (["ha", "ha"], False),
        (["--------", "--------"], False),
        (["It is ", "It is ", "very short"], False),
        ([], False),
    ],
)
def test_twice(texts: list[str], is_twice: bool) -> None:
    """Chunk by chunk, in each chunk, or as a whole; by chance something short repeats itself."""
    assert joined(*texts).is_twice is is_twice


def test_two_messages_may_say_the_same() -> None:
    """What comes before a tool call may come after it; each of them is there once."""
    both = JoinedText()
    both.include(joined("Let me have a look."), 1)
    both.include(joined("Let me have a look."), 2)
    assert (both.text, both.is_twice) == ("Let me have a look." * 2, False)
    both.include(joined("It is here.", "It is here."), 3)
    assert both.is_twice
    assert both.pieces == [(0, 1), (19, 2), (38, 3)]


@pytest.mark.parametrize(("before", "is_twice"), [("and that is all. ", False), ("I look. ", True)])
def test_a_piece_of_something_that_is_said_again_and_again(before: str, is_twice: bool) -> None:
    """A model that repeats itself, cut by an update so that a piece is two times the same: that is chance."""
    message = JoinedText()
    message.include(joined(before), 1)
    message.include(joined("Let me think, ", "and that is all. ", "Let me think, and that is all. "), 2)
    assert message.is_twice is is_twice


def test_memory_is_bounded() -> None:
    """What comes after so many characters is left out."""
    assert len(joined("x" * MOST, "yz").text) == MOST


def test_odd_content() -> None:
    """Several blocks (draft 2), other kinds, and what is no content."""
    shown = JoinedText()
    for content in ([{"type": "text", "text": "a"}, {"type": "image"}], {"text": "b"}, None, "c", [4]):
        shown.add(_frame(content))
    shown.add(b'{"params": {"update": {"content": {"type": "text", "text": "\\ud800"}}}}')
    assert (shown.text[:2], shown.kinds) == ("ab", {"text", "image", "no type"})


def test_many_small_chunks_take_little_more_than_their_text() -> None:
    """A token has few letters; as a text of its own each would take a hundred bytes."""
    frame = b'{"params":{"update":{"content":{"type":"text","text":"%05d token "}}}}'
    tracemalloc.start()
    shown = JoinedText()
    for number in range(5000):
        shown.add(frame % number)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert shown.text == "".join(f"{number:05d} token " for number in range(5000))
    assert taken < 3 * len(shown.text)


@pytest.mark.parametrize(
    "texts", [[], [" "], ["short"], ["It is ", "short."] * 60, ["na", "ïve 日本"] * 200, ["x" * MOST] * 2]
)
def test_a_message_that_is_over_answers_as_before(texts: list[str]) -> None:
    """Its text is packed if it is long, also where messages are put together."""
    going_on, over = joined(*texts), joined(*texts)
    over.end()
    wholes = JoinedText(), JoinedText()
    for number in (1, 2):
        wholes[0].include(going_on, number)
        wholes[1].include(over, number)
    for one, other in ((going_on, over), wholes):
        assert (one.text, one.is_twice, one.is_blank) == (other.text, other.is_twice, other.is_blank)
        assert (one.pieces, one.chunks, one.kinds) == (other.pieces, other.chunks, other.kinds)
    assert over.is_blank is not bool("".join(texts).strip())


def test_a_long_message_that_is_over_is_packed() -> None:
    """A text of 11,000 characters takes less than half of them."""
    over = joined(*(f"word {number} " for number in range(1000)))
    over.end()
    assert sum(map(len, over._texts)) < len(over.text) / 2
