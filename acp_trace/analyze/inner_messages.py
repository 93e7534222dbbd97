"""Follows the messages inside envelopes (`protocol.envelopes`): their requests, responses and sessions.

A session of the inner connection is named `successor:ID` here, because a proxy usually gives the inner and
the outer session the same id, and they are two sessions. A message of MCP belongs to the session that was
opened with its server.
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
    """A message inside of an envelope."""

    connection: InnerConnection
    message: Message
    session_id: str | None  #: as the facts name it
    answers: str | None = None  #: of a response, the method of what it answers


#: How the name of a session of the successor begins.
INSIDE = f"{InnerConnection.SUCCESSOR}:"


def inner_session(session_id: str | None) -> str | None:
    """What a session of the successor is called."""
    return None if session_id is None else f"{INSIDE}{session_id}"


class InnerMessages:
    """Takes in the messages of one connection, and gives out what they carry."""

    def __init__(self) -> None:
        self._open: dict[_Key, tuple[InnerMessage, str | None]] = {}  #: with the server
        self._opening: dict[_Key, list[str]] = {}  #: the servers with which a session is being opened
        self._sessions: dict[str, str] = {}  #: by the servers with which they were opened

    def call(self, frame: int, message: Message) -> InnerMessage | None:
        """Takes in a request or a notification: what it carries, if anything."""
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
        """Takes in the response to the request of this frame, which is of this session: what it carries."""
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
