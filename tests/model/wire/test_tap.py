"""A connection, whatever it speaks: how many events become of one read."""

from __future__ import annotations

from itertools import count

import pytest

pytest.importorskip("h11")

from acp_trace.model.wire.events import Body, BodyEnd
from acp_trace.model.wire.tap import Tap

_ASK = b"GET /v1/models HTTP/1.1\r\nHost: h\r\n\r\n"
_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(("end", "is_read"), [(b"0\r\n\r\n", True), (b"no size\r\n", False)])
def test_single_bytes_that_come_at_once(end: bytes, *, is_read: bool) -> None:
    """A few pieces stay apart; thousands do not become as many records. Nothing is lost, also before a mistake."""
    tap = Tap("h", count(1).__next__)
    list(tap.feed("agent", _ASK))
    sent = bytes(range(256)) * 20
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in sent)
    events = list(tap.feed("provider", _HEAD + chunks + end))
    pieces = [event.data for event in events if isinstance(event, Body)]
    assert b"".join(pieces) == sent
    assert [len(piece) for piece in pieces] == [*[1] * 16, len(sent) - 16]
    assert (events[-1] == BodyEnd(1, "provider"), tap.unreadable is None) == (is_read, is_read)
