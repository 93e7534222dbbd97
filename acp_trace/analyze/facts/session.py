"""A session, and what happens in its turns."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.analyze.facts.explain import is_


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """An ACP session that is named by a session method or an update of this trace."""

    session_id: str = is_("the session's id")
    frame: int = is_("the first frame that names it")
    t_ns: int | None = is_("time of that frame")
    opened_by: str = is_("session/new, session/load, session/resume, session/fork or unknown")
    cwd: str | None = is_("the directory it was opened with")
    title: str | None = is_("title at the end of the trace, from session_info_update")
    replayed: int = is_(
        "number of history updates: those that the agent sent before its response to a load, resume or fork"
    )
    usage: str | None = is_("the last usage_update, as a JSON object")
    updated_at: str | None = is_("updatedAt at the end of the trace, from session_info_update")
    meta: str = is_(
        "_meta at the end of the trace, as a JSON object, merged by the rule in traces.meta_merge"
    )
    config: str = is_("the values of the config options at the end, as a JSON object, in their order")
    mode: str | None = is_(
        "the legacy mode at the end: a mode that session/set_mode sets, which is not a config option"
    )
    ended_by: str | None = is_("session/close, session/delete or session/archive, if it succeeded")
    name: str = is_("what reports call it: S1, S2 … in the order of first mention")
    parent_session_id: str | None = is_(
        "for a subagent's session, the session that announced the subagent", None
    )
    parent_tool_call_id: str | None = is_(
        "toolCallId of the parent session's tool call that the subagent works for", None
    )
    subagent_ns: int | None = is_(
        "from the subagent's announcement until it was idle; NULL while it works", None
    )
    opened_frame: int | None = is_("the first request that opened it; NULL if that is not in the trace", None)
    opened_ns: int | None = is_("time of that request", None)
    forked_from: str | None = is_("for a session that session/fork made, the session that it copied", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call, in the turn in which an update first names it."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside a turn")
    id: str = is_("toolCallId")
    frame: int = is_("the first update that names it")
    title: str | None = is_("its latest title")
    kind: str | None = is_("its latest kind: read, edit, execute …")
    status: str | None = is_("its latest status")
    t_ns: int | None = is_("time of its first update")
    duration_ns: int | None = is_(
        "from its first update until it was completed, failed or cancelled. If the first update already "
        "reports the end: from the answer to the permission request, or NULL without such a request. Also "
        "NULL if the call did not end, or if replayed is true"
    )
    ended_frame: int | None = is_("the update that reports its end; NULL if none does")
    began_ns: int | None = is_("when it began to run; NULL if it never did, or if that is unknown")
    parent_id: str | None = is_(
        "for a call of a subagent, toolCallId of the tool call that the subagent works for. That tool call "
        "is in this or in the parent session",
        None,
    )
    replayed: bool = is_(
        "whether it is history, which the agent sent again for a load, resume or fork", False
    )
    over_ns: int | None = is_(
        "when it was over: the time of the update that reported its end. If no update reported the end: the "
        "later of its last update and the end of its turn. For a refused permission, the refusal counts "
        "instead of the end of the turn. NULL if replayed is true, and while the call may still be running",
        None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStep:
    """A change of a tool call's status."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside a turn")
    id: str = is_("toolCallId")
    frame: int = is_("the update that reports it")
    t_ns: int | None = is_("its time")
    status: str = is_("pending, in_progress, completed, failed …")


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A session/request_permission."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside a turn")
    frame: int = is_("the request")
    outcome: str = is_(
        "selected or cancelled, as the client answered; error; open; or unknown, for a result without outcome"
    )
    option_id: str | None = is_("the option that was selected")
    option_kind: str | None = is_("kind of the selected option: allow_once, reject_once …")
    wait_ns: int | None = is_("from the request to its response")
    t_ns: int | None = is_("time of the request")
    tool_call_id: str | None = is_("toolCallId of the tool call that it is about")
    title: str | None = is_("title of the tool call, as the request gives it")
    parent_id: str | None = is_(
        "if a subagent asks for it, toolCallId of the tool call that the subagent works for", None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """A session's event that has no table of its own, or a silence of the agent in the middle of its text."""

    session_id: str = is_("the session")
    turn: int | None = is_("index of the turn; NULL outside a turn")
    frame: int = is_("the frame of the event; for a silence, the frame after which the silence began")
    t_ns: int | None = is_("its time; for a silence, when the silence began")
    kind: str = is_("notice, compaction, elicitation, plan, message (between turns), usage or silence")
    status: str | None = is_(
        "a notice's severity, a compaction's latest status, an elicitation's answer (or open), or the side "
        "that was silent"
    )
    text: str = is_("what it says, at most 200 characters; for usage, the last report in the turn")
    took_ns: int | None = is_("how long a compaction, an elicitation or a silence took")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateCount:
    """The number of session/update notifications of one kind in a session, including history updates."""

    session_id: str = is_("the session")
    kind: str = is_("agent_message_chunk, tool_call …")
    count: int = is_("how many")
