"""Subagents in the forms that real agents use, as frames for tests. The texts are our own.

- `below_a_call`   in the parent's session, with the call named in `_meta.claudeCode.parentToolUseId`:
                   agentclientprotocol/claude-agent-acp, its snapshots `subagent-task-legacy.jsonl`; with
                   `_meta.parentToolCallId`, and permissions that name nothing: QwenLM/qwen-code,
                   packages/cli/src/acp-integration/session/SubAgentTracker.ts
- `in_sessions`    in sessions that are announced, one in the other: agentclientprotocol/claude-agent-acp, its
                   snapshots `subagent-native-sessions.jsonl` and `subagent-nested.jsonl`;
                   agentclientprotocol/codex-acp#419
- `of_grok`        in a session that a notification of grok's own announces: charliek/craze, internal/acp
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.reading.talk import Said, answer, ask, call, chosen, opened, prompt, stop, tell, up
from tests.support import update

#: claude-agent-acp 0.100.0, driven through three sessions at once; the subagent of the first reads a file and asks
#: before it runs a command. In `subagent-sessions` the client announced `subagents`. Only the model was a stand-in.
RECORDED = {path.stem: path for path in (Path(__file__).parent / "real" / "recorded").glob("*.jsonl")}
_SESSION = "main"


def claude(call_id: str) -> dict[str, Any]:
    """What claude-agent-acp says of an update: for which tool call it is."""
    return {"_meta": {"claudeCode": {"parentToolUseId": call_id}}}


def qwen(call_id: str) -> dict[str, Any]:
    """What qwen-code says."""
    return {"_meta": {"parentToolCallId": call_id, "subagentType": "explore"}}


def text(words: str, session: str = _SESSION, **more: Any) -> Said:
    """A chunk of what the agent says."""
    return up("agent_message_chunk", session, content={"type": "text", "text": words}, **more)


def _hello(*announced: str) -> list[Said]:
    capabilities: dict[str, Any] = {name: {} for name in announced}
    return [
        ask("i", "initialize", protocolVersion=1, clientCapabilities=capabilities),
        answer("i", protocolVersion=1, agentCapabilities={}, agentInfo={"name": "agent", "version": "1"}),
    ]


def below_a_call(meta: Any = claude, *, says_in_permission: bool = True) -> list[Said]:
    """Two subagents at once: `explore` reads and asks to run a command, `plan` says something."""
    asked = {"toolCallId": "run", "title": "rg parser"} | (meta("explore") if says_in_permission else {})
    return [
        *_hello(), *opened(_SESSION), prompt(1, _SESSION, "find the parser"),
        up("tool_call", _SESSION, toolCallId="explore", title="Explore code", kind="think", status="in_progress"),
        up("tool_call", _SESSION, toolCallId="plan", title="Plan", kind="think", status="in_progress"),
        text("Looking ", **meta("explore")),
        text("A plan", **meta("plan")),
        text("for it.", **meta("explore")),
        up("tool_call", _SESSION, toolCallId="read", title="Read x.ts", kind="read", status="pending", **meta("explore")),
        up("tool_call_update", _SESSION, toolCallId="read", status="completed", **meta("explore")),
        up("tool_call", _SESSION, toolCallId="run", title="rg parser", kind="execute", status="pending", **meta("explore")),
        call("p", "session/request_permission", sessionId=_SESSION, toolCall=asked,
             options=[{"optionId": "y", "name": "Yes", "kind": "allow_once"}]),
        chosen("p", "selected", optionId="y"),
        up("tool_call_update", _SESSION, toolCallId="run", status="completed", **meta("explore")),
        up("tool_call_update", _SESSION, toolCallId="plan", status="completed"),
        up("tool_call_update", _SESSION, toolCallId="explore", status="completed"),
        text("Found it."),
        stop(1),
    ]  # fmt: skip


def announces(parent: str, child: str, **more: Any) -> Said:
    """A `subagent_update`, whose own `sessionId` is that of the subagent."""
    said = update(parent, "subagent_update", **more)
    said["params"]["update"]["sessionId"] = child
    return "agent", said


def in_sessions() -> list[Said]:
    """`outer` is announced by `main`, and `inner` by `outer`, which waits for a permission."""
    asked = {"toolCallId": "spec", "title": "Read spec.md"}
    return [
        *_hello("subagents"), *opened(_SESSION), prompt(1, _SESSION, "plan the work"),
        announces(_SESSION, "outer", title="Plan the work", description="Plan it"),
        up("session_message", "outer", messageId="m", senderSessionId=_SESSION, recipientSessionId="outer",
           content=[{"type": "text", "text": "Plan it"}]),
        announces("outer", "inner", title="Read the spec", description="Read spec.md"),
        up("tool_call", "inner", toolCallId="spec", title="Read spec.md", kind="read", status="pending", **claude("toolu_inner")),
        call("p", "session/request_permission", sessionId="inner", toolCall=asked,
             options=[{"optionId": "y", "name": "Yes", "kind": "allow_once"}]),
        chosen("p", "selected", optionId="y"),
        up("tool_call_update", "inner", toolCallId="spec", status="completed"),
        announces("outer", "inner", state={"state": "idle", "stopReason": "end_turn"}),
        text("Plan: do X.", "outer", messageId="n", **claude("toolu_outer")),
        announces(_SESSION, "outer", state={"state": "idle", "stopReason": "end_turn"}),
        stop(1),
    ]  # fmt: skip


def of_grok() -> list[Said]:
    """One that grok announces by a method of its own; what it does comes in its session."""

    def said(kind: str, session: str = _SESSION, **more: Any) -> Said:
        update = {"sessionUpdate": kind, "subagent_id": "child", "child_session_id": "child", **more}
        return tell("agent", "_x.ai/session_notification", sessionId=session, update=update)

    return [
        *_hello(), *opened(_SESSION), prompt(1, _SESSION, "say hello"),
        up("tool_call", _SESSION, toolCallId="spawn", title="spawn_subagent", status="in_progress"),
        said("subagent_spawned", parent_session_id=_SESSION, subagent_type="explore", description="Say hello"),
        text("Hello", "child"),
        said("subagent_progress", parent_session_id=_SESSION, turn_count=1),
        said("turn_completed", "child", stop_reason="end_turn"),
        said("subagent_finished", status="completed", output="Hello"),
        up("tool_call_update", _SESSION, toolCallId="spawn", status="completed"),
        text("It said hello."),
        stop(1),
    ]  # fmt: skip
