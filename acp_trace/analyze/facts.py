"""The shapes of everything the analysis finds: flat, frozen rows with plain values.

Each class is also a table of the store and a part of the JSON report, so that a name, a unit and its
explanation stand in one place: here. `t_ns` counts ns from the start of the trace, `…_ns` are
durations in ns, `frame` is a frame number (from 1), `turn` an index (from 0) within its session.
Rules: docs/report.md. Nothing here computes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


def _is(explanation: str) -> Any:
    """A field that explains itself: in the store's comments and in docs/store.md."""
    return field(metadata={"doc": explanation})


@dataclass(frozen=True, slots=True)
class Trace:
    """One recorded connection between one client process and one agent process."""

    id: str = _is("trace id, from the header")
    started_at: str | None = _is("when the recording began, RFC 3339 in UTC")
    duration_ns: int = _is("time of the last entry")
    protocol_version: int | None = _is("what the agent answered to initialize")
    complete: bool = _is("whether the recorder wrote the footer")
    lost_frames: int = _is("frames that were forwarded and could not be written")
    lost_bytes: int = _is("their bytes, without newlines")
    damaged: int = _is("lines of the file that are no entries")
    torn_bytes: int = _is("length of a last line that was never finished")
    agent_name: str | None = _is("agentInfo.name (draft 2: info.name)")
    agent_title: str | None = _is("agentInfo.title")
    agent_version: str | None = _is("agentInfo.version")
    agent_argv: str = _is("the agent's command, a JSON array of strings")
    agent_cwd: str = _is("the folder it was started in")
    client_name: str | None = _is("clientInfo.name (draft 2: info.name)")
    client_title: str | None = _is("clientInfo.title")
    client_version: str | None = _is("clientInfo.version")
    frames_client: int = _is("frames that the client sent")
    frames_agent: int = _is("frames that the agent sent")
    bytes_client: int = _is("bytes of the client's frames, without newlines")
    bytes_agent: int = _is("bytes of the agent's frames, without newlines")
    odd_client: int = _is("frames of the client that are no JSON-RPC message")
    odd_agent: int = _is("frames of the agent that are no JSON-RPC message")
    logs: int = _is("lines that the agent wrote to stderr")
    last_log: str | None = _is("how the last of them begins, at most 200 characters")
    exit_code: int | None = _is("the agent's exit code; NULL when a signal ended it")
    signal: int | None = _is("the signal that ended the agent")
    error: str | None = _is("why the agent could not be started")
    labels: str = _is("labels given to the recorder, a JSON object of strings")


@dataclass(frozen=True, slots=True)
class Session:
    """An ACP session that a session method or an update of this trace names."""

    session_id: str = _is("the session's id")
    frame: int = _is("the frame that named it first")
    t_ns: int = _is("time of that frame")
    opened_by: str = _is("session/new, session/load, session/resume, session/fork or unknown")
    cwd: str | None = _is("the folder that it was opened with")
    title: str | None = _is("title at the end of the trace, from session_info_update")
    replayed: int = _is("updates that a load (or a resume that asks for it) replayed before its response")
    usage: str | None = _is("the last usage_update, a JSON object")


@dataclass(frozen=True, slots=True)
class Turn:
    """One session/prompt until it settles: its response, or in draft 2 the next idle state."""

    session_id: str = _is("the session")
    turn: int = _is("index in the session, from 0")
    frame: int = _is("the session/prompt")
    settled_frame: int | None = _is("the frame that settled it; NULL while open")
    t_ns: int = _is("time of the prompt")
    duration_ns: int | None = _is("from the prompt until it settled")
    stop_reason: str | None = _is("why the agent stopped")
    error_code: int | None = _is("the code, when the prompt was answered with an error")
    first_update_ns: int | None = _is("from the prompt to the session's first session/update")
    first_output_ns: int | None = _is("to the first message chunk, thought chunk or tool call")
    prompt: str | None = _is("how the prompt's text begins, at most 80 characters")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call, in the turn in which an update named it first."""

    session_id: str = _is("the session")
    turn: int | None = _is("index of the turn; NULL outside of any")
    id: str = _is("toolCallId")
    title: str | None = _is("its latest title")
    kind: str | None = _is("its latest kind: read, edit, execute …")
    status: str | None = _is("its latest status")
    t_ns: int = _is("time of the update that named it first")
    duration_ns: int | None = _is("until it was completed, failed or cancelled; NULL if never")


@dataclass(frozen=True, slots=True)
class Permission:
    """A session/request_permission."""

    session_id: str = _is("the session")
    turn: int | None = _is("index of the turn; NULL outside of any")
    frame: int = _is("the request")
    outcome: str = _is("selected or cancelled, as answered; error; or open")
    option_id: str | None = _is("the option that was selected")
    option_kind: str | None = _is("its kind: allow_once, reject_once …")
    wait_ns: int | None = _is("from the request to its response")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response."""

    frame: int = _is("the request")
    response_frame: int | None = _is("the response; NULL while open")
    sender: str = _is("who asked: client or agent")
    method: str = _is("the method")
    id: str = _is('the id\'s JSON text, so that 1 and "1" differ')
    session_id: str | None = _is("the session that the request, else its result, names")
    latency_ns: int | None = _is("from request to response")
    outcome: str = _is("result, error or open")
    error_code: int | None = _is("the error's code")
    error_message: str | None = _is("how the error's message begins, at most 200 characters")


@dataclass(frozen=True, slots=True)
class UpdateCount:
    """How many session/update notifications of one kind a session got, replayed ones included."""

    session_id: str = _is("the session")
    kind: str = _is("agent_message_chunk, tool_call …")
    count: int = _is("how many")


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the analysis found in one trace, each list in the order of its frames."""

    trace: Trace
    sessions: list[Session]
    turns: list[Turn]
    tool_calls: list[ToolCall]
    permissions: list[Permission]
    exchanges: list[Exchange]
    updates: list[UpdateCount]
