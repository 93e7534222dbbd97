"""The streams of a trace over HTTP or WebSocket, put together from what its entries say."""

from __future__ import annotations

from acp_trace.analyze.facts import NetworkStream
from acp_trace.trace.http_lines import facts
from tests.http_story import http_trace, websocket_trace
from tests.support import analyzed, header, line, trace

_MS = 1_000_000


def _streams(file: bytes) -> list[NetworkStream]:
    return analyzed(file)[0].streams


def test_a_message_and_an_event_stream() -> None:
    """What was asked, what came back, which frames, how long, and who ended it."""
    first, events, *_ = _streams(http_trace())
    assert first == NetworkStream(
        stream=1,
        t_ns=1 * _MS,
        protocol="HTTP/1.1",
        method="POST",
        path="/acp",
        connection_id="c1",
        session_id=None,
        status=200,
        content_type="application/json",
        response_ns=2 * _MS,
        duration_ns=4 * _MS,
        ended_by="agent",
        close_code=None,
        failed=None,
        unread=None,
        body=None,
        frame=1,
        last_frame=2,
        frames_client=1,
        frames_agent=1,
    )
    assert (events.method, events.content_type, events.ended_by) == ("GET", "text/event-stream", "client")
    assert (events.frame, events.last_frame, events.frames_client, events.frames_agent) == (4, 4, 0, 1)


def test_each_is_there_once_in_order() -> None:
    """With the session that its headers name."""
    told = [(each.stream, each.session_id) for each in _streams(http_trace())]
    assert told == [(1, None), (2, None), (3, None), (4, "s1"), (5, "s1"), (6, "s2"), (7, None), (8, None)]


def test_what_went_wrong() -> None:
    """A refusal with what the agent said, and a request that did not reach it."""
    *_, refused, failed, _ = _streams(http_trace())
    assert (refused.status, refused.body, refused.failed) == (404, "Unknown Acp-Session-Id\n", None)
    assert (failed.status, failed.response_ns, failed.failed) == (None, None, "connection refused")


def test_a_websocket_is_one_stream() -> None:
    """With all frames of both sides, and the code of its close."""
    (stream,) = _streams(websocket_trace())
    assert (stream.protocol, stream.status, stream.close_code, stream.ended_by) == (
        "WebSocket", 101, 1011, "agent",
    )  # fmt: skip
    assert (stream.frames_client, stream.frames_agent, stream.last_frame) == (3, 4, 7)


def test_frames_name_their_stream() -> None:
    """Over pipes they name none."""
    assert [frame.stream for frame in analyzed(http_trace())[1]] == [1, 1, 3, 2, 5, 4, 4, 6, 7]
    facts_, frames = analyzed(trace(("client", {"jsonrpc": "2.0", "id": 1, "method": "m"})))
    assert [frame.stream for frame in frames] == [None]
    assert not facts_.streams


def test_the_transport_of_a_trace() -> None:
    """As its header says it."""
    assert analyzed(http_trace())[0].trace.transport == "http"
    assert analyzed(websocket_trace())[0].trace.transport == "websocket"
    assert analyzed(header(transport="stdio"))[0].trace.transport == "stdio"
    assert analyzed(header(transport=7))[0].trace.transport is None


def test_what_is_open_has_no_end() -> None:
    """As in a live trace."""
    *begun, _ = http_trace().splitlines(keepends=True)
    (first, *_) = _streams(b"".join(begun[:3]))
    assert (first.stream, first.frame, first.duration_ns, first.ended_by) == (1, 1, None, None)


def test_odd_entries_say_nothing() -> None:
    """Any JSON may stand there; a stream of which only an end is known is one."""
    odd = [
        b'{"t":1,"http":7}\n',
        b'{"t":1,"http":{}}\n',
        b'{"t":1,"http":{"stream":true}}\n',
        b'{"t":1,"http":{"stream":0,"end":{}}}\n',
        b'{"t":1,"http":{"stream":1e400,"end":{}}}\n',
        facts(2, 5, b'{"request":[],"response":"x","end":{"by":7,"code":"1"},"body":null,"unread":[]}'),
        facts(3, 5, b'{"response":{"status":"200","headers":[["content-type"],7,["content-type",null]]}}'),
    ]
    (stream,) = _streams(header() + b"".join(odd) + line(t=9, end={}))
    assert (stream.stream, stream.t_ns, stream.status, stream.ended_by) == (5, 2, None, None)
    assert (stream.response_ns, stream.duration_ns, stream.content_type) == (1, 0, None)
