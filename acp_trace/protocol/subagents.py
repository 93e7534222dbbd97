"""The tool call that a subagent works for, and how agents name it. Pure.

The protocol (unstable, `subagent_update`) gives a subagent a session of its own, which its parent announces.
If a client does not know that, agents send the subagent's work in the parent's session, and name the tool
call that it works for in `_meta`, each under a key of its own.
"""

from __future__ import annotations

from typing import Any

from acp_trace.trace.jsontext import as_object, string_or_none, value_or_none

#: The paths in `_meta` of an update, or of a permission's tool call, to the tool call that a subagent works
#: for.
PARENTS = (
    # agentclientprotocol/claude-agent-acp, its snapshots `subagent-task-legacy.jsonl`
    ("claudeCode", "parentToolUseId"),
    ("parentToolUseId",),
    # QwenLM/qwen-code, packages/cli/src/acp-integration/session/SubAgentTracker.ts
    ("parentToolCallId",),
)
#: The beginning of the last member of each path in the bytes of a frame: most frames have none of them.
_SIGN = b'"parentTool'


def parent_in(meta: dict[str, Any]) -> str | None:
    """Return the toolCallId of the call that a subagent works for, as `_meta` names it, or None."""
    for path in PARENTS:
        value: Any = meta
        for key in path:
            value = as_object(value).get(key)
        if isinstance(value, str):
            return value
    return None


def parent_of_update(data: bytes) -> str | None:
    """Return the same for the update in a frame. Most frames cost a search for a few bytes."""
    if _SIGN not in data:
        return None
    params = as_object(as_object(value_or_none(data)).get("params"))
    return parent_in(as_object(as_object(params.get("update")).get("_meta")))


#: The methods by which grok sends what others send in a `subagent_update`, and the state that each kind
#: means. charliek/craze, internal/acp/client.go; wire taps of grok 1.0.25 in fixtures of other clients.
_GROK_METHODS = ("_x.ai/session_notification", "x.ai/session_notification")
_GROK_STATES = {"subagent_spawned": "running", "subagent_finished": "idle"}


def grok_update_of(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """Return the `subagent_update` that a notification of grok means; None for other notifications.

    A subagent's own updates come as other agents' do, in the session that this names.
    """
    if method not in _GROK_METHODS:
        return None
    update = as_object(params.get("update"))
    state = _GROK_STATES.get(string_or_none(update.get("sessionUpdate")) or "")
    child = string_or_none(update.get("child_session_id"))
    if state is None or child is None:
        return None
    return {"sessionId": child, "title": update.get("description"), "state": {"state": state}}


def announced(update: dict[str, Any]) -> str | None:
    """Return the session that a `subagent_update` is about."""
    return string_or_none(update.get("sessionId"))


def state(update: dict[str, Any]) -> str | None:
    """Return the state in a `subagent_update`: running, idle …; None if it has none."""
    return string_or_none(as_object(update.get("state")).get("state"))
