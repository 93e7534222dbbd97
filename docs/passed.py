"""What passes between an agent and its client, as one recording shows it: for docs/agents.py. Pure.

A sign says what a recording shows, and nothing more. That an agent could not do something is never concluded
from a recording in which it did not.
"""  # noqa: INP001  (a script's, in no package)

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from acp_trace.analyze.facts import Facts
from acp_trace.protocol import methods, updates
from acp_trace.replay.plan.recording import Recording
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import as_object

#: It was seen; it was refused; it was begun, and nothing shows that it worked; the agent did that work
#: without asking its client, which had offered to do it; nothing shows it. The best first.
SEEN, FAILED, TAKEN, ALONE, NOTHING = SIGNS = ("✓", "✗", "◐", "own", "○")

#: By column: methods that the agent asks its client for.
_ASKED: Mapping[str, tuple[str, ...]] = {
    "permissions": ("session/request_permission",),
    "files": (methods.READ_FILE, methods.WRITE_FILE),
    "terminals": (methods.TERMINAL_CREATE,),
    "elicitation": (methods.ELICITATION,),
}
#: By column: what the client has to offer, and the kinds of tool calls that could then ask for it.
_OFFERED: Mapping[str, tuple[str, frozenset[str]]] = {
    "files": ("fs", frozenset({"read", "edit"})),
    "terminals": ("terminal", frozenset({"execute"})),
}
#: By column: kinds of updates.
_TOLD: Mapping[str, tuple[str, ...]] = {
    "plan": ("plan", "plan_update"),
    "thoughts": ("agent_thought_chunk", "agent_thought"),
    "commands": ("available_commands_update",),
    "usage": (updates.USAGE,),
}
_SUBAGENTS = "subagents"
_SERVERS = ("stdio", "http", "sse")
COLUMNS = (*(f"MCP {kind}" for kind in _SERVERS), *_ASKED, _SUBAGENTS, *_TOLD)


def passed(recording: Recording, found: Facts) -> dict[str, str]:
    """The sign of each column, by its name."""
    asked = {one.method for one in found.exchanges if one.sender == "agent"}
    told = {one.kind for one in found.updates}
    offered = _offered(recording)
    done = {one.kind for one in found.tool_calls if one.status == "completed"}
    signs = dict.fromkeys(COLUMNS, NOTHING)
    for column, wanted in _OFFERED.items():
        signs[column] = ALONE if offered.get(wanted[0]) and done & wanted[1] else NOTHING
    for column, names in (*_ASKED.items(), *_TOLD.items()):
        of = asked if column in _ASKED else told
        signs[column] = SEEN if of.intersection(names) else signs[column]
    prompts = (message for message in recording.messages if message.method == methods.PROMPT)
    if any("usage" in message.part("result") for message in prompts):
        signs["usage"] = SEEN
    calls = [*_calls(recording)]
    signs[_SUBAGENTS] = SEEN if updates.SUBAGENT in told else _subagents([call for _, call in calls])
    for kind, session, name in _opened(recording):
        tools = [call for of, call in calls if of == session]
        was = FAILED if session is None else _used(tools, name)
        signs[f"MCP {kind}"] = best(signs[f"MCP {kind}"], was)
    return signs


def best(one: str, other: str) -> str:
    """The sign that shows more."""
    return min(one, other, key=SIGNS.index)


def _offered(recording: Recording) -> dict[str, Any]:
    """The client's capabilities."""
    first = (message for message in recording.messages if message.method == methods.INITIALIZE)
    return as_object(next((message.part("params") for message in first), {}).get("clientCapabilities"))


def _calls(recording: Recording) -> Iterator[tuple[str | None, dict[str, Any]]]:
    """What is said of tool calls, by updates and by requests for a permission: the session, the object."""
    for message in recording.messages:
        params = message.part("params") if message.sender == "agent" else {}
        if message.update in (updates.TOOL_CALL, updates.TOOL_CALL_UPDATE):
            yield message.session, as_object(params.get("update"))
        elif message.method == "session/request_permission":
            yield message.session, as_object(params.get("toolCall"))


def _subagents(calls: list[dict[str, Any]]) -> str:
    """A tool that starts another agent: its input is a prompt. A prompt about a page goes with its URL."""
    inputs = [(call.get("toolCallId"), as_object(call.get("rawInput"))) for call in calls]
    ids = {id_ for id_, given in inputs if "prompt" in given and "url" not in given}
    ends = {call.get("status") for call in calls if call.get("toolCallId") in ids}
    return SEEN if "completed" in ends else TAKEN if "failed" in ends else NOTHING


def _opened(recording: Recording) -> Iterator[tuple[str, str | None, str]]:
    """Each MCP server that a session was to be opened with: its transport, the session, its name.

    The session is None if the agent refused.
    """
    for frame, exchange in recording.exchanges.items():
        if exchange.method in methods.OPENERS and exchange.response_frame is not None:
            is_open = "error" not in recording.at(exchange.response_frame).value
            for server in jsontext.objects(recording.at(frame).part("params").get("mcpServers")):
                kind = server.get("type", "stdio")
                if kind in _SERVERS:
                    yield kind, exchange.session_id if is_open else None, str(server.get("name"))


def _used(calls: list[dict[str, Any]], server: str) -> str:
    """Whether a tool call that names the server came to its end. Agents spell the name in their own ways."""
    plain = _plain(server)
    ids = {
        call.get("toolCallId")
        for call in calls
        if any(plain in _plain(str(call.get(key))) for key in ("title", "rawInput", "_meta"))
    }
    ends = {call.get("status") for call in calls if call.get("toolCallId") in ids}
    return SEEN if "completed" in ends else TAKEN


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower())
