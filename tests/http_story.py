"""Traces of ACP over HTTP and through a WebSocket, as `record --listen` writes them: made by hand."""

from __future__ import annotations

import json
from typing import Any

from acp_trace.trace.http_lines import facts, message
from acp_trace.trace.jsontext import text
from tests.support import END, header, line, request, result, update

CONNECTION, SESSION = "c1", "s1"
_JSON, _EVENTS, _PLAIN = "application/json", "text/event-stream", "text/plain"
_URL = "http://127.0.0.1:4170/acp"
_CHUNK = update(SESSION, "agent_message_chunk", content={"type": "text", "text": "hi"})
_PROMPT = request(2, "session/prompt", sessionId=SESSION, prompt=[{"type": "text", "text": "hello"}])


class _Lines:
    """The lines of a trace, a millisecond after each other."""

    def __init__(self, **of_header: Any) -> None:
        self._made = [header(**of_header)]

    @property
    def t(self) -> int:
        """When the next line comes, ns."""
        return len(self._made) * 1_000_000

    def say(self, stream: int, **facts_: Any) -> None:
        """Something about a stream."""
        self._made.append(facts(self.t, stream, text(facts_)))

    def frame(self, sender: str, stream: int, said: dict[str, Any]) -> None:
        """A message on a stream."""
        self._made.append(message(sender.encode(), self.t, json.dumps(said).encode(), stream))

    def ask(
        self, stream: int, method: str, *said: dict[str, Any], session: str = "", name: str = "c1"
    ) -> None:
        """A request with its headers, and its message."""
        headers: list[list[Any]] = [["content-type", _JSON], ["authorization", None]]
        headers += [["acp-connection-id", name]] if name else []
        headers += [["acp-session-id", session]] if session else []
        told = {"method": method, "path": "/acp", "protocol": "HTTP/1.1", "headers": headers}
        self.say(stream, request=told)
        for each in said:
            self.frame("client", stream, each)

    def answer(self, stream: int, status: int, kind: str = "", **headers: str) -> None:
        """The head of a response."""
        named = [["content-type", kind]] if kind else []
        named += [[name.replace("_", "-"), value] for name, value in headers.items()]
        self.say(stream, response={"status": status, "protocol": "HTTP/1.1", "headers": named})

    def post(self, stream: int, said: dict[str, Any], status: int = 202, **given: str) -> None:
        """A message that is accepted."""
        self.ask(stream, "POST", said, **given)
        self.answer(stream, status)
        self.say(stream, end={"by": "agent"})

    def bytes(self) -> bytes:
        """All lines, with the footer."""
        return b"".join([*self._made, line(t=self.t, end={**END, "exit_code": None, "client_left": True})])


def http_trace(**of_header: Any) -> bytes:
    """A turn over HTTP/1.1.

    Streams 1, 3 and 5 are messages of the client; 2 and 4 the event streams of the connection and the session;
    6 a message that the agent refuses, 7 one that does not reach it, 8 the DELETE.
    """
    lines = _Lines(transport="http", agent={"url": _URL}, **of_header)
    lines.ask(1, "POST", request(0, "initialize", protocolVersion=1), name="")
    lines.answer(1, 200, _JSON, acp_connection_id=CONNECTION)
    lines.frame("agent", 1, result(0, protocolVersion=1))
    lines.say(1, end={"by": "agent"})
    lines.ask(2, "GET")
    lines.answer(2, 200, _EVENTS)
    lines.post(3, request(1, "session/new", cwd="/w", mcpServers=[]))
    lines.frame("agent", 2, result(1, sessionId=SESSION))
    lines.ask(4, "GET", session=SESSION)
    lines.answer(4, 200, _EVENTS)
    lines.post(5, _PROMPT, session=SESSION)
    lines.frame("agent", 4, _CHUNK)
    lines.frame("agent", 4, result(2, stopReason="end_turn"))
    lines.ask(6, "POST", request(3, "session/list"), session="s2")
    lines.answer(6, 404, _PLAIN)
    lines.say(6, body={"bytes": 23, "text": "Unknown Acp-Session-Id\n"})
    lines.say(6, end={"by": "agent"})
    lines.ask(7, "POST", request(4, "session/list"))
    lines.say(7, end={"by": "agent", "failed": "connection refused"})
    lines.ask(8, "DELETE")
    lines.answer(8, 202)
    lines.say(8, end={"by": "agent"})
    for stream in (2, 4):
        lines.say(stream, end={"by": "client"})
    return lines.bytes()


def websocket_trace(**of_header: Any) -> bytes:
    """A turn through a WebSocket, which the agent closes."""
    lines = _Lines(transport="websocket", agent={"url": _URL.replace("http", "ws")}, **of_header)
    lines.say(1, request={"method": "GET", "path": "/acp", "protocol": "WebSocket", "headers": []})
    lines.answer(1, 101, acp_connection_id=CONNECTION)
    lines.frame("client", 1, request(0, "initialize", protocolVersion=1))
    lines.frame("agent", 1, result(0, protocolVersion=1))
    lines.frame("client", 1, request(1, "session/new", cwd="/w", mcpServers=[]))
    lines.frame("agent", 1, result(1, sessionId=SESSION))
    lines.frame("client", 1, _PROMPT)
    lines.frame("agent", 1, _CHUNK)
    lines.frame("agent", 1, result(2, stopReason="end_turn"))
    lines.say(1, end={"by": "agent", "code": 1011})
    return lines.bytes()
