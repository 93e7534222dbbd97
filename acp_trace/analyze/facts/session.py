"""A session, its turns, and what happens in a turn."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True)
class Session:
    """An ACP session that a session method or an update of this trace names."""

    session_id: str = is_("the session's id")
    frame: int = is_("the frame that named it first")
    t_ns: int = is_("time of that frame")
    opened_by: str = is_("session/new, session/load, session/resume, session/fork or unknown")
    cwd: str | None = is_("the folder that it was opened with")
    title: str | None = is_("title at the end of the trace, from session_info_update")
    replayed: int = is_("updates that a load (or a resume that asks for it) replayed before its response")
    usage: str | None = is_("the last usage_update, a JSON object")
    updated_at: str | None = is_("updatedAt at the end of the trace, from session_info_update")
    meta: str = is_("_meta at the end of the trace, a JSON object, by the trace's merge rule")
    config: str = is_("the config options' current values at the end, a JSON object in their order")
    mode: str | None = is_("the legacy mode at the end")
    ended_by: str | None = is_("session/close, session/delete or session/archive, when it succeeded")


@dataclass(frozen=True, slots=True)
class Turn:
    """One session/prompt until it settles: its response, or in draft 2 the next idle state."""

    session_id: str = is_("the session")
    turn: int = is_("index in the session, from 0")
    frame: int = is_("the session/prompt")
    settled_frame: int | None = is_("the frame that settled it; NULL while open")
    t_ns: int = is_("time of the prompt")
    duration_ns: int | None = is_("from the prompt until it settled")
    stop_reason: str | None = is_("why the agent stopped")
    error_code: int | None = is_("the code, when the prompt was answered with an error")
    first_update_ns: int | None = is_("from the prompt to the session's first session/update")
    first_output_ns: int | None = is_("to the first message chunk, thought chunk or tool call")
    prompt: str | None = is_("how the prompt's text begins, at most 80 characters")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call, in the turn in which an update named it first."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside of any")
    id: str = is_("toolCallId")
    frame: int = is_("the update that named it first")
    title: str | None = is_("its latest title")
    kind: str | None = is_("its latest kind: read, edit, execute …")
    status: str | None = is_("its latest status")
    t_ns: int = is_("time of the update that named it first")
    duration_ns: int | None = is_("until it was completed, failed or cancelled; NULL if never")


@dataclass(frozen=True, slots=True)
class ToolCallStep:
    """A status that a tool call took on."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside of any")
    id: str = is_("toolCallId")
    frame: int = is_("the update that said so")
    t_ns: int = is_("its time")
    status: str = is_("pending, in_progress, completed, failed …")


@dataclass(frozen=True, slots=True)
class Permission:
    """A session/request_permission."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside of any")
    frame: int = is_("the request")
    outcome: str = is_("selected or cancelled, as answered; error; or open")
    option_id: str | None = is_("the option that was selected")
    option_kind: str | None = is_("its kind: allow_once, reject_once …")
    wait_ns: int | None = is_("from the request to its response")


@dataclass(frozen=True, slots=True)
class UpdateCount:
    """How many session/update notifications of one kind a session got, replayed ones included."""

    session_id: str = is_("the session")
    kind: str = is_("agent_message_chunk, tool_call …")
    count: int = is_("how many")
