"""Messages of ACP over HTTP and WebSocket as lines: every byte comes back, whatever they hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.trace.entries import EntryKind
from acp_trace.trace.http_lines import facts, message, original, tail, without_newlines
from acp_trace.trace.parse import Parser

_TOKENS = st.sampled_from(
    [b"{", b"}", b"[", b"]", b'"a"', b":", b",", b"1", b" ", b"\n", b"\r", b"\t", b"\xff"]
)
_JSON = st.builds(
    lambda before, value, after: before + value + after,
    st.sampled_from([b"", b"\n", b" \r\n"]),
    st.sampled_from([b"{}", b'{\n"a":\n[1,\n2]}', b'"\\ud83d"', b"1e5", b'{"stream":3}', b'{"x":1,"stream":3}']),
    st.sampled_from([b"", b"\n", b"\t\n\n"]),
)  # fmt: skip


@given(st.one_of(_JSON, st.lists(_TOKENS).map(b"".join), st.binary()), st.integers(1, 10**18 - 1))
def test_a_message_comes_back_with_its_stream(data: bytes, stream: int) -> None:
    """One line, one entry, to the byte."""
    line = message(b"agent", 5, data, stream)
    assert line.count(b"\n") == 1
    (entry,) = Parser().feed(line)
    assert (entry.sender, entry.t, entry.stream, entry.raw) == ("agent", 5, stream, line)
    assert original(entry.raw, entry.data) == data


def test_newlines_are_told_of_json_alone() -> None:
    """A line of text has escapes for them."""
    assert message(b"client", 1, b'{"a":\n1}', 2) == (
        b'{"t":1,"from":"client","frame":{"a": 1},"stream":2,"newlines":[5]}\n'
    )
    assert message(b"client", 1, b"a\nb", 2) == b'{"t":1,"from":"client","text":"a\\nb","stream":2}\n'


def test_facts_are_an_entry_of_their_own() -> None:
    """Without any, the number of the stream alone."""
    line = facts(1, 2, b'{"end":{"by":"client"}}')
    assert line == b'{"t":1,"http":{"stream":2,"end":{"by":"client"}}}\n'
    (entry,) = Parser().feed(line)
    assert (entry.kind, entry.data) == (EntryKind.HTTP, b'{"stream":2,"end":{"by":"client"}}')
    assert facts(1, 2, b"{}") == b'{"t":1,"http":{"stream":2}}\n'


@pytest.mark.parametrize("stream", ["0", "-1", "true", '"1"', "1.5", "99999999999999999999"])
def test_an_odd_stream_is_none(stream: str) -> None:
    """The frame is read all the same."""
    line = b'{"t":1,"from":"client","frame":{"a":1},"stream":%b}\n' % stream.encode()
    (entry,) = Parser().feed(line)
    assert (entry.kind, entry.data, entry.stream) == (EntryKind.FRAME, b'{"a":1}', 0)


def test_a_stream_inside_of_a_frame_is_not_its_own() -> None:
    """Only what stands behind the frame is."""
    line = b'{"t":1,"from":"client","frame":{"a":1,"stream":3}}'
    assert tail(line) == (line, 0)


@pytest.mark.parametrize("places", ['"x"', "[null]", "[-1]", "[7]", "[true]"])
def test_odd_newlines_are_passed_over(places: str) -> None:
    """A hostile trace raises nothing."""
    line = b'{"t":1,"from":"client","frame":{"a":1},"stream":1,"newlines":%b}\n' % places.encode()
    assert len(original(line, b'{"a":1}')) == 7


@given(_JSON, st.integers(1, 99))
def test_the_places_of_newlines_can_be_taken_off(data: bytes, stream: int) -> None:
    """The rest of the line stays, also if the message ends as such a line does."""
    line = message(b"agent", 5, data, stream)
    (entry,) = Parser().feed(without_newlines(line))
    assert (entry.stream, entry.data) == (stream, data.replace(b"\n", b" "))
    assert original(entry.raw, entry.data) == entry.data
    assert without_newlines(entry.raw) == entry.raw


def test_newlines_inside_of_a_message_stay() -> None:
    """Only what stands behind it is taken off."""
    line = b'{"t":1,"from":"client","frame":{"a":{"b":1,"newlines":[1]}},"stream":3}\n'
    assert without_newlines(line) == line
