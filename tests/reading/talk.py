"""Words for scenarios: who says what, shorter than the builders of tests/support.py."""

from __future__ import annotations

from typing import Any

from tests.support import INFO, error, request, result, update

Said = tuple[str, Any]


def ask(id: Any, method: str, **params: Any) -> Said:
    """A request of the client."""
    return "client", request(id, method, **params)


def answer(id: Any, **fields: Any) -> Said:
    """The agent's result."""
    return "agent", result(id, **fields)


def refuse(id: Any, code: int, message: str = "") -> Said:
    """The agent's error."""
    return "agent", error(id, code, message)


def call(id: Any, method: str, **params: Any) -> Said:
    """A request of the agent."""
    return "agent", request(id, method, **params)


def reply(id: Any, **fields: Any) -> Said:
    """The client's result."""
    return "client", result(id, **fields)


def decline(id: Any, code: int) -> Said:
    """The client's error."""
    return "client", error(id, code)


def tell(side: str, method: str, **params: Any) -> Said:
    """A notification."""
    return side, {"jsonrpc": "2.0", "method": method, "params": params}


def up(kind: str, /, session: str = "s", **fields: Any) -> Said:
    """A session/update, of the session `s` unless told otherwise."""
    return "agent", update(session, kind, **fields)


def words(session: str = "s") -> Said:
    """An agent_message_chunk."""
    return up("agent_message_chunk", session=session, content={"type": "text", "text": "…"})


def hello(version: Any = 1) -> list[Said]:
    """An initialize with its answer."""
    info = {"info": INFO} if version == 2 else {}
    return [
        ask("i", "initialize", protocolVersion=version, **info),
        answer("i", protocolVersion=version, **info),
    ]


def opened(session: str = "s", **result: Any) -> list[Said]:
    """A session/new with its answer."""
    return [
        ask(f"new {session}", "session/new", cwd="/w"),
        answer(f"new {session}", sessionId=session, **result),
    ]


def prompt(id: Any, session: str = "s", text: str = "go") -> Said:
    """A session/prompt."""
    return ask(id, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])


def stop(id: Any, reason: str = "end_turn") -> Said:
    """A prompt's answer."""
    return answer(id, stopReason=reason)


def cancel(session: str = "s") -> Said:
    """A session/cancel."""
    return tell("client", "session/cancel", sessionId=session)


def permit(id: Any, session: str = "s") -> Said:
    """A session/request_permission."""
    return call(id, "session/request_permission", sessionId=session, toolCall={"toolCallId": "c"}, options=[])


def chosen(id: Any, outcome: str = "selected", **more: Any) -> Said:
    """The answer to a permission."""
    return reply(id, outcome={"outcome": outcome, **more})
