"""More words for playbooks, beside those of tests/reading/talk.py: what happens in a turn."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import Said, call, hello, opened, reply, tell, up

START = [*hello(), *opened()]

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def chunk(text: str = "…", session: str = "s", kind: str = "agent_message_chunk") -> Said:
    """A chunk of a message."""
    return up(kind, session=session, content={"type": "text", "text": text})


def thought(text: str = "hm", session: str = "s") -> Said:
    """A chunk of a thought."""
    return chunk(text, session, "agent_thought_chunk")


def tool(id: str = "c", kind: str = "edit", session: str = "s", **more: Any) -> Said:
    """A tool call."""
    return up("tool_call", session=session, toolCallId=id, title="It", kind=kind, **more)


def now(id: str, status: str, session: str = "s", **more: Any) -> Said:
    """A tool call's status."""
    return up("tool_call_update", session=session, toolCallId=id, status=status, **more)


def asks(id: Any, method: str, session: str = "s", **params: Any) -> Said:
    """A request of the agent in a session."""
    return call(id, method, sessionId=session, **params)


def reads(id: Any, path: str, session: str = "s") -> Said:
    """A request for a file."""
    return asks(id, "fs/read_text_file", session, path=path)


def writes(id: Any, path: str, content: str = "new", session: str = "s") -> Said:
    """A request to write a file."""
    return asks(id, "fs/write_text_file", session, path=path, content=content)


def may(id: Any, of: str = "c", session: str = "s", options: Any = None, **more: Any) -> Said:
    """A permission for a tool call."""
    wanted = {"toolCallId": of, **more}
    return asks(id, "session/request_permission", session, toolCall=wanted, options=options or OPTIONS)


def picks(id: Any, option: str = "yes") -> Said:
    """An option that is selected."""
    return reply(id, outcome={"outcome": "selected", "optionId": option})


def gone(id: Any) -> Said:
    """A permission that was cancelled."""
    return reply(id, outcome={"outcome": "cancelled"})


def unask(side: str, id: Any) -> Said:
    """A request that is taken back."""
    return tell(side, "$/cancel_request", requestId=id)


def state(kind: str, session: str = "s", **more: Any) -> Said:
    """Draft 2: what a session is doing."""
    return up("state_update", session=session, state=kind, **more)


def info(title: str = "A title", session: str = "s") -> Said:
    """A title."""
    return up("session_info_update", session=session, title=title)


def commands(session: str = "s") -> Said:
    """The list of commands."""
    return up("available_commands_update", session=session, availableCommands=[])
