"""A chunk is read faster than other messages, and not otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.protocol.chunks import MessageReader
from acp_trace.protocol.message import Message, read

_KIND = "agent_message_chunk"


def _chunk(text: Any = "some words", **more: Any) -> dict[str, Any]:
    update = {"sessionUpdate": _KIND, "content": {"type": "text", "text": text}, **more}
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}


def _bytes(message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _same(frames: list[bytes]) -> list[Message]:
    """What the reader gives of frames, which is what they say one by one."""
    reader = MessageReader()
    found = [reader.read(frame) for frame in frames]
    for frame, message in zip(frames, found, strict=True):
        alone = read(frame)
        assert [getattr(message, name) for name in _READ] == [getattr(alone, name) for name in _READ]
    return found


_READ = ("kind", "text", "id", "method", "session_id", "update", "is_error", "flaw")


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5))
def test_texts_of_chunks(texts: list[str]) -> None:
    """Whatever they are, and however often the same bytes stand around them."""
    found = _same([_bytes(_chunk(text)) for text in texts])
    wanted = [None if any("\ud800" <= each <= "\udfff" for each in text) else text for text in texts]
    assert [message.chunk for message in found] == wanted


@pytest.mark.parametrize(
    "odd",
    [
        _bytes(_chunk("x"))[:-3],
        _bytes(_chunk("x")).replace(b'"x"', b"5"),
        _bytes(_chunk("x")).replace(b'"x"', b'"\xff"'),
        _bytes(_chunk("x")).replace(b'"x"', b'"\\ud800"'),
        _bytes(_chunk(["x"])),
        _bytes({**_chunk("x"), "id": 1}),
        _bytes({**_chunk("x"), "jsonrpc": "1.0"}),
        _bytes(_chunk("x", kind="other")),
        b"",
        b"{",
    ],
)
def test_what_is_no_such_chunk(odd: bytes) -> None:
    """Before one, between two, after one: it is read as it would be alone, and has no text."""
    plain = _bytes(_chunk("before"))
    first, _, between, last = _same([odd, plain, odd, plain])
    assert (first.chunk, between.chunk, last.chunk) == (None, None, "before")


def test_a_member_that_is_there_twice() -> None:
    """The last one counts, also in the chunk after it."""
    twice = _bytes(_chunk("x")).replace(b'"x"', b'"x","text":"y"')
    assert [one.chunk for one in _same([twice, twice, _bytes(_chunk("z"))])] == ["y", "y", "z"]
    same = [twice.replace(b'"x"', text) for text in (b'"y"', b'"z"')]
    assert [one.chunk for one in _same(same)] == ["y", "y"]


def test_a_name_changes_and_a_kind() -> None:
    """What stands around the text is looked at each time."""
    frames = [
        _chunk("a"),
        _chunk("b", messageId="m"),
        _chunk("c", messageId="n"),
        _chunk("d", messageId=None),
    ]
    found = _same([_bytes(frame) for frame in frames])
    assert [(one.chunk, one.chunk_of) for one in found] == [
        ("a", None),
        ("b", "m"),
        ("c", "n"),
        ("d", None),
    ]


def test_the_word_text_in_a_text() -> None:
    """A text that looks like the member that holds it."""
    words = '"text":"x"'
    found = _same([_bytes(_chunk(words)), _bytes(_chunk("y")), _bytes(_chunk(words))])
    assert [one.chunk for one in found] == [words, "y", words]
