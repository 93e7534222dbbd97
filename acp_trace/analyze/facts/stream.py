"""A stream of ACP over HTTP or WebSocket: a request with its response, or the WebSocket."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkStream:
    """An HTTP request with its response, or a WebSocket. A trace over standard input and output has none."""

    stream: int = is_("its number, from 1, by which frames refer to it")
    t_ns: int | None = is_("time of the request")
    protocol: str | None = is_("as the client spoke it: HTTP/1.1, HTTP/2 or WebSocket")
    method: str | None = is_("the HTTP method")
    path: str | None = is_("the path, without its query")
    connection_id: str | None = is_("Acp-Connection-Id, from the request, or else from the response")
    session_id: str | None = is_("Acp-Session-Id, from the request, or else from the response")
    status: int | None = is_("the HTTP status; NULL if there was no response")
    content_type: str | None = is_("Content-Type of the response")
    response_ns: int | None = is_("from the request to the head of the response")
    duration_ns: int | None = is_("from the request to the end of the stream; NULL while open")
    ended_by: str | None = is_("the side that ended it: client or agent; NULL while open")
    close_code: int | None = is_("the code with which a WebSocket was closed")
    failed: str | None = is_("why the agent was not reached, or why it broke the stream off")
    unread: str | None = is_("why a part of the response was not recorded")
    body: str | None = is_("the beginning of a body that is not a message, at most 200 characters")
    frame: int | None = is_("the first frame on it; NULL if there is none")
    last_frame: int | None = is_("the last frame on it")
    frames_client: int = is_("number of frames that the client sent on it")
    frames_agent: int = is_("number of frames that the agent sent on it")
