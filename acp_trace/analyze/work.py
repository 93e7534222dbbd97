"""Work of an agent in a turn: tool calls, permissions, usage. The rules; `state` has the state."""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import PermissionState, SessionState, ToolCallState
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Message
from acp_trace.protocol.payloads import OptionView, ParamsView, ResultView, ToolCallView, UpdateView
from acp_trace.protocol.subagents import parent_in
from acp_trace.trace import jsontext


def tool_call(
    session: SessionState,
    frame: int,
    t: int,
    update: UpdateView,
    findings: Findings,
    version: int | None,
    worked_t: int,
) -> None:
    """Process a `tool_call` or a `tool_call_update`. In draft 2 an update creates an unknown call.

    `worked_t`: when the session last showed work or got an answer, before this (ns).
    """
    call_id = update.tool_call_id
    if call_id is None:
        return
    call = session.latest_call.get(call_id)
    announced = update.session_update == updates.TOOL_CALL
    turn = session.turn_now
    # A resumed session may continue a tool call from before, which is not announced again.
    is_known = call is not None or call_id in session.asked_about or session.opened_by == methods.RESUME
    if not (is_known or announced or version == 2):
        text = f"tool_call_update of {jsontext.short(call_id)}, which no tool_call has announced"
        cause = findings.lost.naming("agent", call_id)
        findings.say("tool-call-unannounced", "agent", frame, session.id, text, consequence_of=cause)
    if call is None or (announced and call.turn != turn):
        replayed = session.replays(update.session_update or "")
        made = ToolCallState(call_id, turn, frame, t, replayed=replayed)
        call = session.tool_calls.setdefault((call_id, turn), made)
        session.latest_call[call_id] = call
        if not session.history.loading:
            session.news.append(call)
    call.last_t = t
    call.parent = call.parent or _parent(update)
    call.title = update.title or call.title
    call.kind = update.kind or call.kind
    status = update.status
    if status is None:
        return
    if status in updates.TOOL_CALL_ENDS and call.ended_frame is None:
        call.duration_ns, call.ended_frame, call.ended_t = t - call.t, frame, t
        if call.replayed:
            call.duration_ns = None
        elif frame == call.frame and turn is not None:
            call.since, call.is_known_since = _began(session, call, worked_t)
            call.duration_ns = t - call.since if call.is_known_since else None
        if not session.history.loading and session.news[-1:] != [
            call
        ]:  # it may begin and end with one update
            session.news.append(call)
    if status != call.status:
        call.steps.append((frame, t, status))
    call.status = status


def permission_asked(
    session: SessionState, frame: int, message: Message, exchange: Open, findings: Findings
) -> PermissionState:
    """Process a session/request_permission; return its state, which the answer will change."""
    params = ParamsView(message.part("params"))
    call = params.asked_about
    call_id = call.tool_call_id
    latest = session.latest_call.get(call_id or "")
    permission = PermissionState(
        session.turn,
        exchange,
        _kinds(params.options),
        tool_call_id=call_id,
        title=call.title or params.title,
        parent=_parent(call) or (latest.parent if latest is not None else None),
    )
    if call_id is not None:
        session.asked_about[call_id] = permission
        if call_id not in session.latest_call:
            text = f"permission for tool call {jsontext.short(call_id)}, which no update has announced yet"
            findings.say("permission-unannounced", "agent", frame, session.id, text)
    return permission


def permission_answered(session: SessionState, t: int, permission: PermissionState, message: Message) -> None:
    """Process the answer at `t` (ns): `outcome.outcome` (docs/protocol/tool-calls)."""
    _answered(permission, message)
    if (call := session.latest_call.get(permission.tool_call_id or "")) is not None:
        call.refused_t = t if permission.is_refused else None


def _answered(permission: PermissionState, message: Message) -> None:
    if message.is_error:
        permission.outcome = "error"
        return
    outcome = ResultView(message.part("result")).outcome
    permission.outcome = outcome.outcome or "unknown"
    permission.option_id = outcome.option_id


def usage(session: SessionState, update: UpdateView) -> None:
    """Process a usage_update: a field that is left out stays as it was."""
    fields = {key: update.members[key] for key in ("used", "size", "cost") if key in update.members}
    session.usage = (session.usage or {}) | fields


def _parent(call: ToolCallView) -> str | None:
    """Return the call that a subagent makes this one for; a call is never its own parent."""
    parent = parent_in(call.meta) if call.meta else None
    return None if parent == call.tool_call_id else parent


def _began(session: SessionState, call: ToolCallState, worked_t: int) -> tuple[int, bool]:
    """Return when a call began that was only announced when it ended (ns), and whether that time is certain.

    gemini-cli asks for a permission, runs the tool, and announces it with its end: then it began at the
    answer. A refused call did not run. Without a permission it ran at some time since the agent last showed
    other work, or was answered.
    """
    permission = session.asked_about.get(call.id)
    answered = None if permission is None or permission.turn != call.turn else permission.answered_t
    if permission is None or answered is None:
        return worked_t, False
    return (answered if permission.is_allowed else call.t), True


def _kinds(options: Iterable[OptionView]) -> dict[str, str]:
    """Return the kind of each option by its id."""
    pairs = ((option.option_id, option.kind) for option in options)
    return {id_: kind for id_, kind in pairs if id_ is not None and kind is not None}
