"""Follows the messages inside envelopes (`protocol.envelopes`): their requests, responses and sessions.

A session of the inner connection is named `successor:ID` here: a proxy usually gives the inner and the outer
session the same id, but they are two sessions. A message of MCP belongs to the session that was opened with
its server.
"""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.protocol import methods
from acp_trace.protocol.envelopes import InnerConnection, carries, inner, inner_response
from acp_trace.protocol.message import Message, MessageKind
from acp_trace.trace.jsontext import objects, string_or_none

#: A request: its frame, and its id, of which a batch has several.
_Key = tuple[int, str | None]


class InnerMessage(NamedTuple):
    """A message inside an envelope."""

    connection: InnerConnection
    message: Message
    session_id: str | None  #: as the facts name it
    answers: str | None = None  #: for a response, the method of its request


#: The prefix for sessions of the successor.
INSIDE = f"{InnerConnection.SUCCESSOR}:"


def inner_session(session_id: str | None) -> str | None:
    """Return the name of a session of the successor."""
    return None if session_id is None else f"{INSIDE}{session_id}"


class InnerMessages:
    """Processes the messages of one connection, and returns the messages that they carry."""

    def __init__(self) -> None:
        self._open: dict[_Key, tuple[InnerMessage, str | None]] = {}  #: unanswered requests, and servers
        self._opening: dict[_Key, list[str]] = {}  #: the servers of the session that a request is opening
        self._sessions: dict[str, str] = {}  #: by the servers with which they were opened

    def call(self, frame: int, message: Message) -> InnerMessage | None:
        """Process a request or a notification; return the message that it carries, or None."""
        if message.method in methods.OPENERS:
            self._opens(frame, message)
            return None
        if carries(message.method) is None or (found := inner(message)) is None:
            return None
        session = inner_session(found.message.session_id)
        if found.connection is InnerConnection.MCP:
            session = self._sessions.get(found.server or "")
        carried = InnerMessage(found.connection, found.message, session)
        if message.kind is MessageKind.REQUEST:
            self._open[int(frame), message.id] = carried, found.server
        return carried

    def response(self, request: int, message: Message, session_id: str | None) -> InnerMessage | None:
        """Process the response to the request of this frame and session; return the message it carries."""
        key = int(request), message.id
        if self._opening and session_id is not None:
            self._sessions.update(dict.fromkeys(self._opening.pop(key, ()), session_id))
        asked = self._open.pop(key, None)
        if asked is None:
            return None
        call, server = asked
        carried = inner_response(message, call.connection, server)
        session = call.session_id
        if session is None and call.connection is InnerConnection.SUCCESSOR:
            session = inner_session(string_or_none(carried.part("result").get("sessionId")))
        return InnerMessage(call.connection, carried, session, call.message.method)

    def _opens(self, frame: int, message: Message) -> None:
        named = objects(message.part("params").get("mcpServers"))
        servers = [server for one in named if (server := string_or_none(one.get("serverId"))) is not None]
        if servers:
            self._opening[int(frame), message.id] = servers
