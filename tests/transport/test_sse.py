"""Server-sent events, in any cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.transport.sse import ServerEvent, ServerSentStream, event_bytes


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\n", [ServerEvent(b"a")]),
        (b"data:a\r\n\r\ndata:  b\r\r", [ServerEvent(b"a"), ServerEvent(b" b")]),
        (b"event: x\r\ndata: a\r\ndata: b\r\n\r\n", [ServerEvent(b"a\nb", "x")]),
        (b"\xef\xbb\xbfdata: a\n\n", [ServerEvent(b"a")]),
        (b"data: a\ndata\ndata: b\n\n", [ServerEvent(b"a\n\nb")]),
        (
            b": comment\nretry: 5\nevent: x\nid: 7\ndata: a\n\ndata: b\n\n",
            [ServerEvent(b"a", "x", "7"), ServerEvent(b"b", "message", "7")],
        ),
        (b"event: x\n\ndata: a\n", []),
        (b"data: \xff\xe2\x80\xa8\n\n", [ServerEvent(b"\xff\xe2\x80\xa8")]),
        (b"id: a\0b\ndata\n\n", [ServerEvent(b"")]),
    ],
)
def test_events(stream: bytes, expected: list[ServerEvent]) -> None:
    """HTML Standard, 9.2.5 and 9.2.6: whole, and byte by byte."""
    assert ServerSentStream().feed(stream) == expected
    one_by_one = ServerSentStream()
    assert [event for byte in stream for event in one_by_one.feed(bytes([byte]))] == expected


@given(st.lists(st.binary(max_size=9)))
def test_any_bytes_in_any_cut(pieces: list[bytes]) -> None:
    """The cut changes nothing, and nothing is raised."""
    stream = ServerSentStream()
    assert [event for piece in pieces for event in stream.feed(piece)] == ServerSentStream().feed(
        b"".join(pieces)
    )


@given(st.lists(st.binary().filter(lambda data: b"\r" not in data)), st.integers(1, 9))
def test_what_is_written_is_read(messages: list[bytes], size: int) -> None:
    """Also messages of several lines."""
    data, stream = b"".join(map(event_bytes, messages)), ServerSentStream()
    events = [event for at in range(0, len(data), size) for event in stream.feed(data[at : at + size])]
    assert [event.data for event in events] == messages


def test_an_event_that_nothing_ended() -> None:
    """It is there for who asks, once."""
    stream = ServerSentStream()
    assert stream.feed(b"data: a\n\ndata: b\ndata: c") == [ServerEvent(b"a")]
    assert stream.end() == [ServerEvent(b"b\nc")]
    assert stream.end() == []


def test_a_type_and_an_id() -> None:
    """They come back."""
    assert ServerSentStream().feed(event_bytes(b"x", event="e", id="1")) == [ServerEvent(b"x", "e", "1")]
