"""Which session an ACP message belongs to, as far as HTTP needs it. Pure.

A message names its session in `params`; an answer belongs to the session of its request. A result with a
`sessionId` opens a session (RFD "Streamable HTTP & WebSocket Transport").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acp_trace.protocol.methods import REOPENERS
from acp_trace.protocol.payloads import ParamsView
from acp_trace.trace.jsontext import canonical, value_or_none


@dataclass(frozen=True, slots=True)
class MessageRoute:
    """Where a message goes. `session`: empty for the connection itself.

    `is_known`: whether the remote side knows that session already.
    """

    method: str
    session: str
    is_known: bool = True


class Routing:
    """Open requests on both sides of one connection."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[str, str]] = {}  #: own requests: method and session, by id
        self._owed: dict[str, str] = {}  #: requests of the other side: session, by id

    def send(self, data: bytes) -> MessageRoute:
        """Return the route of a message to send."""
        message = value_or_none(data)
        if not isinstance(message, dict):
            return MessageRoute("", "")
        method = message.get("method")
        if not isinstance(method, str):
            return MessageRoute("", self._owed.pop(_key(message), ""))
        session = _session(message.get("params"))
        if "id" in message:
            self._asked[_key(message)] = method, session
        return MessageRoute(method, session, method not in REOPENERS)

    def receive(self, data: bytes, stream: str = "") -> str:
        """Process a message of the other side; return the session that it opens, or an empty text.

        `stream`: the session on whose stream it came.
        """
        message = value_or_none(data)
        if not isinstance(message, dict):
            return ""
        if isinstance(message.get("method"), str):
            if "id" in message:
                self._owed[_key(message)] = _session(message.get("params")) or stream
            return ""
        method, session = self._asked.pop(_key(message), ("", ""))
        return _session(message.get("result")) or (session if method in REOPENERS else "")

    def waits(self, session: str) -> str:
        """Return the method of an open request for a session; empty if there is none."""
        return next((method for method, of in self._asked.values() if of == session), "")


class ServedRouting:
    """The same from the agent's side: the stream for each message that it sends."""

    def __init__(self) -> None:
        self._asked: dict[str, str] = {}  #: requests of the client: session, by id
        self._first = ""  #: the id of the first request

    def receive(self, data: bytes) -> None:
        """Process a message of the client."""
        message = value_or_none(data)
        if isinstance(message, dict) and isinstance(message.get("method"), str) and "id" in message:
            # The client may not read the stream of a session that is not open yet.
            session = "" if message["method"] in REOPENERS else _session(message.get("params"))
            self._asked[_key(message)] = session
            self._first = self._first or _key(message)

    def answers(self, data: bytes) -> bool:
        """Whether a message answers the first request."""
        message = value_or_none(data)
        is_answer = isinstance(message, dict) and not isinstance(message.get("method"), str)
        if not is_answer or _key(message) != self._first:
            return False
        self._asked.pop(self._first, None)
        return True

    def send(self, data: bytes) -> str:
        """Return the session whose stream a message goes to; empty for the connection's stream."""
        message = value_or_none(data)
        if not isinstance(message, dict):
            return ""
        if isinstance(message.get("method"), str):
            return _session(message.get("params"))
        return self._asked.pop(_key(message), "")


def is_message(data: bytes) -> bool:
    """Whether these bytes are a JSON-RPC message."""
    message = value_or_none(data)
    return isinstance(message, dict) and ("jsonrpc" in message or "method" in message)


def _key(message: dict[str, Any]) -> str:
    return canonical(message.get("id"))


def _session(part: object) -> str:
    return ParamsView(part).session_id or ""
