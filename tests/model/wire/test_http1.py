"""HTTP/1.1 as it goes past: heads, bodies and ends, whatever the pieces."""

from __future__ import annotations

import pytest

pytest.importorskip("h11")

from acp_trace.model.wire.events import Body, BodyEnd, Broken, RequestHead, ResponseHead
from tests.model.wire.speaking import Talk, heard, in_pieces

_POST = b"POST /v1/messages?beta=true HTTP/1.1\r\nHost: api\r\nX-A: 1\r\nX-A: 2\r\n"
_CHUNKED: Talk = [
    (
        "agent",
        _POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nT: 1\r\n\r\n",
    ),
    ("provider", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ("provider", b"3\r\nabc\r\n"),
    ("provider", b"3\r\ndef\r\n0\r\n\r\n"),
    ("agent", b"GET / HTTP/1.1\r\nHost: api\r\n\r\n"),
    ("provider", b"HTTP/1.1 204 No Content\r\n\r\n"),
    ("agent", b"HEAD /h HTTP/1.1\r\nHost: api\r\n\r\n"),
    ("provider", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
    ("agent", b"PUT /p HTTP/1.1\r\nHost: api\r\nContent-Length: 2\r\n\r\nhi"),
    ("provider", b"HTTP/1.0 500 Oh\r\n\r\nuntil the end"),
    ("provider", b""),
    ("agent", b""),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1 << 20])
def test_what_both_say_is_read_in_any_pieces(size: int) -> None:
    """Chunks, lengths, bodies that end with the connection, heads without a body, one after the other."""
    events, tap = heard(in_pieces(_CHUNKED, size))
    x_a = (("host", "api"), ("x-a", "1"), ("x-a", "2"), ("transfer-encoding", "chunked"))
    assert tap.unreadable is None
    assert events == [
        RequestHead(1, "POST", "/v1/messages?beta=true", "api", x_a, "http/1.1"),
        Body(1, "agent", b"hello world"),
        BodyEnd(1, "agent"),
        ResponseHead(1, 100, ()),
        ResponseHead(1, 200, (("transfer-encoding", "chunked"),)),
        Body(1, "provider", b"abcdef"),
        BodyEnd(1, "provider"),
        RequestHead(2, "GET", "/", "api", (("host", "api"),), "http/1.1"),
        BodyEnd(2, "agent"),
        ResponseHead(2, 204, ()),
        BodyEnd(2, "provider"),
        RequestHead(3, "HEAD", "/h", "api", (("host", "api"),), "http/1.1"),
        BodyEnd(3, "agent"),
        ResponseHead(3, 200, (("content-length", "9"),)),
        BodyEnd(3, "provider"),
        RequestHead(4, "PUT", "/p", "api", (("host", "api"), ("content-length", "2")), "http/1.1"),
        Body(4, "agent", b"hi"),
        BodyEnd(4, "agent"),
        ResponseHead(4, 500, (), is_http_1_0=True),
        Body(4, "provider", b"until the end"),
        BodyEnd(4, "provider"),
    ]


def test_the_next_request_may_come_early() -> None:
    """Pipelined: both answers go to their own."""
    one = b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
    events, _ = heard(
        [("agent", one * 3), ("provider", answer + b"a" + answer + b"b"), ("provider", answer + b"c")]
    )
    assert [event.data for event in events if isinstance(event, Body)] == [b"a", b"b", b"c"]
    assert [event.exchange for event in events if isinstance(event, BodyEnd)] == [1, 1, 2, 2, 3, 3]


def test_an_answer_may_come_before_the_request_has_ended() -> None:
    """A provider refuses a body that is too long, and hangs up."""
    events, _ = heard(
        [
            ("agent", b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc"),
            ("provider", b"HTTP/1.1 413 Too Long\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            ("agent", b"defg"),
            ("provider", b""),
            ("agent", b""),
        ]
    )
    assert [type(event) for event in events[2:]] == [ResponseHead, BodyEnd, Body, Broken]


@pytest.mark.parametrize("side", ["agent", "provider"])
def test_a_connection_that_ends_in_the_middle_breaks_its_exchange(side: str) -> None:
    """Once, whoever hangs up first."""
    asked: Talk = [
        ("agent", _POST + b"Content-Length: 0\r\n\r\n"),
        ("provider", b"HTTP/1.1 200 OK\r\nContent-"),
    ]
    ends: Talk = (
        [("agent", b""), ("provider", b"")] if side == "agent" else [("provider", b""), ("agent", b"")]
    )
    events, tap = heard([*asked, *ends])
    assert tap.unreadable is None
    assert events[-1] == Broken(1, side)  # type: ignore[arg-type]
    assert sum(isinstance(event, Broken) for event in events) == 1


def test_what_is_no_http_is_told_and_its_exchange_broken() -> None:
    """From then on nothing is read; what came before stays."""
    events, tap = heard(
        [("agent", _POST + b"Content-Length: 0\r\n\r\n"), ("provider", b"SSH-2.0-x\r\n\r\n"), ("agent", b"x")]
    )
    assert tap.unreadable
    assert events[-1] == Broken(1, "provider", tap.unreadable)
    for talk in ([("provider", b"220 mail" * 9000)], [("agent", b"\x00\x01\r\n\r\n")]):
        events, tap = heard(talk)  # type: ignore[arg-type]
        assert (events, bool(tap.unreadable)) == ([], True)
    assert heard([("agent", b""), ("provider", b"")])[0] == []
