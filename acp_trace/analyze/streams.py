"""The streams of a trace over HTTP or WebSocket: each request with its response, and the frames on it.

The entries of the kind `http`, put together by the number of the stream (docs/trace-format.md, "HTTP and
WebSocket"). A value of an unexpected type counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from acp_trace.analyze.facts import NetworkStream
from acp_trace.analyze.frame import Frame
from acp_trace.trace.entries import Entry
from acp_trace.trace.jsontext import as_integer, as_string, object_in

_CONNECTION, _SESSION, _CONTENT = "acp-connection-id", "acp-session-id", "content-type"
_BODY = 200


class _Open(msgspec.Struct, gc=False):
    """A stream, and what is known of it so far."""

    t: int
    request: dict[str, Any] = {}
    response: dict[str, Any] | None = None
    responded: int | None = None
    end: dict[str, Any] | None = None
    ended: int | None = None
    unread: str = ""
    body: str | None = None
    frame: int | None = None
    last_frame: int | None = None
    frames_client: int = 0
    frames_agent: int = 0


class NetworkStreams:
    """Joins the entries of the kind `http` with the frames that name a stream."""

    def __init__(self) -> None:
        self._all: dict[int, _Open] = {}

    def feed(self, entry: Entry) -> None:
        """Process an entry about a stream."""
        said = object_in(entry.data)
        number = as_integer(said.get("stream"))
        if number is None or number < 1:
            return
        stream = self._stream(number, entry.t)
        if isinstance(request := said.get("request"), dict) and not stream.request:
            stream.request, stream.t = request, entry.t
        if isinstance(response := said.get("response"), dict) and stream.response is None:
            stream.response, stream.responded = response, entry.t
        if isinstance(body := said.get("body"), dict):
            stream.body = as_string(body.get("text"))[:_BODY]
        stream.unread = as_string(said.get("unread")) or stream.unread
        if isinstance(end := said.get("end"), dict) and stream.end is None:
            stream.end, stream.ended = end, entry.t

    def frame(self, frame: Frame, t: int) -> None:
        """Process a frame that was sent at `t` ns."""
        if frame.stream is None:
            return
        stream = self._stream(frame.stream, t)
        stream.frame = stream.frame or frame.frame
        stream.last_frame = frame.frame
        if frame.sender == "client":
            stream.frames_client += 1
        else:
            stream.frames_agent += 1

    def rows(self) -> Iterable[NetworkStream]:
        """Return all streams, by their numbers."""
        return (_row(number, stream) for number, stream in sorted(self._all.items()))

    def _stream(self, number: int, t: int) -> _Open:
        if number not in self._all:
            self._all[number] = _Open(t)
        return self._all[number]


def _row(number: int, stream: _Open) -> NetworkStream:
    request, response, end = stream.request, stream.response or {}, stream.end or {}
    asked, answered = _headers(request), _headers(response)
    return NetworkStream(
        stream=number,
        t_ns=stream.t,
        protocol=as_string(request.get("protocol")) or None,
        method=as_string(request.get("method")) or None,
        path=as_string(request.get("path")) or None,
        connection_id=asked.get(_CONNECTION) or answered.get(_CONNECTION),
        session_id=asked.get(_SESSION) or answered.get(_SESSION),
        status=as_integer(response.get("status")),
        content_type=answered.get(_CONTENT),
        response_ns=None if stream.responded is None else stream.responded - stream.t,
        duration_ns=None if stream.ended is None else stream.ended - stream.t,
        ended_by=as_string(end.get("by")) or None,
        close_code=as_integer(end.get("code")),
        failed=as_string(end.get("failed")) or None,
        unread=stream.unread or None,
        body=stream.body,
        frame=stream.frame,
        last_frame=stream.last_frame,
        frames_client=stream.frames_client,
        frames_agent=stream.frames_agent,
    )


def _headers(message: dict[str, Any]) -> dict[str, str]:
    """Return the headers of a request or response whose values were recorded; of several, the first."""
    listed = message.get("headers")
    values: dict[str, str] = {}
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each):
            values.setdefault(each[0], each[1])
    return values
