"""How the state of a session becomes facts: rows for the store and the reports, a class of `facts` each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from acp_trace.analyze import facts
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.state import FOR_EVER, PermissionState, SessionState, ToolCallState, TurnState
from acp_trace.analyze.subagents import SubagentState, SubagentWork
from acp_trace.analyze.turn_time import TurnTime, split
from acp_trace.protocol import methods
from acp_trace.trace import jsontext
from acp_trace.trace.intervals import Interval

if TYPE_CHECKING:
    from acp_trace.analyze.model_turns import TurnCalls
    from acp_trace.model.turn_time import TurnParts


def facts_of(
    session: SessionState,
    now: int,
    calls: TurnCalls | None = None,
    subagent: SubagentState | None = None,
    below: Mapping[tuple[str, int | None], SubagentWork] = MappingProxyType({}),
) -> Iterator[facts.Fact]:
    """Yield what is known of one session `now` (ns), kind by kind; `calls`: those of the model, if any.

    `subagent`: what is known of the subagent, if the session belongs to one. `below`: the work of subagents.
    """
    session.count_late()
    yield _session(session, subagent)
    for turn, took_ns, time, parts in _times(session, now, calls, below):
        count = None if calls is None else calls.count(session.id, turn.index)
        if turn.duration_ns is not None:
            yield _turn(session.id, turn, time, parts, count)
            continue
        yield _turn(session.id, turn, None, None, count)
        yield facts.UnsettledTurn(
            session_id=session.id, turn=turn.index, frame=turn.frame, open_ns=took_ns, **asdict(time)
        )
    for call in session.tool_calls.values():
        yield _tool_call(session, call)
        for frame, t, status in call.steps:
            yield facts.ToolCallStep(
                session_id=session.id, turn=call.turn, id=call.id, frame=frame, t_ns=t, status=status
            )
    for permission in session.permissions:
        yield _permission(session.id, permission)
    for event in session.events:
        yield facts.SessionEvent(
            session_id=session.id,
            turn=event.turn,
            frame=event.frame,
            t_ns=event.t,
            kind=event.kind,
            status=event.status,
            text=event.text,
            took_ns=event.took_ns,
        )
    for kind, count in session.updates.items():
        yield facts.UpdateCount(session_id=session.id, kind=kind, count=count)
    yield from session.metadata.updates
    yield from session.metadata.changes
    for ledger in (session.config, session.modes):
        yield from ledger.entries
        yield from ledger.changes


def fresh(session: SessionState) -> Iterator[facts.Fact]:
    """Yield what is new since the last call: turns, tool calls, permissions; metadata and configuration."""
    news, session.news = session.news, []
    for state in news:
        if isinstance(state, TurnState):
            yield _turn(session.id, state)
        elif isinstance(state, ToolCallState):
            yield _tool_call(session, state)
        else:
            yield _permission(session.id, state)
    ledgers: tuple[list[Any], ...] = (
        session.metadata.updates,
        session.metadata.changes,
        session.config.entries,
        session.config.changes,
        session.modes.entries,
        session.modes.changes,
    )
    for at, ledger in enumerate(ledgers):
        yield from ledger[session.given[at] :]
        session.given[at] = len(ledger)


def _session(session: SessionState, subagent: SubagentState | None) -> facts.Session:
    title = session.metadata.title
    return facts.Session(
        session_id=session.id,
        frame=session.frame,
        t_ns=session.t,
        opened_by=session.opened_by,
        cwd=session.cwd,
        title=subagent.title if title is None and subagent is not None else title,
        replayed=session.replayed,
        usage=None if session.usage is None else jsontext.string(session.usage),
        updated_at=session.metadata.updated_at,
        meta=session.metadata.meta,
        config=session.config.final,
        mode=session.modes.current,
        ended_by=session.ended_by,
        name="",  # known when all sessions are
        parent_session_id=None if subagent is None else subagent.parent,
        parent_tool_call_id=None if subagent is None else subagent.call,
        subagent_ns=None if subagent is None else subagent.worked_ns,
        opened_frame=None if session.opened_at is None else session.opened_at.frame,
        opened_ns=None if session.opened_at is None else session.opened_at.t,
        forked_from=session.forked_from,
    )


def _turn(
    session_id: str,
    turn: TurnState,
    time: TurnTime | None = None,
    parts: TurnParts | None = None,
    model_calls: int | None = None,
) -> facts.Turn:
    return facts.Turn(
        session_id=session_id,
        turn=turn.index,
        frame=turn.frame,
        settled_frame=turn.settled_frame,
        t_ns=turn.t,
        duration_ns=turn.duration_ns,
        stop_reason=turn.stop_reason,
        error_code=turn.error_code,
        first_update_ns=turn.first_update_ns,
        first_output_ns=turn.first_output_ns,
        prompt=turn.prompt,
        before_output_ns=None if time is None else time.before_output_ns,
        tools_ns=None if time is None else time.tools_ns,
        permissions_ns=None if time is None else time.permissions_ns,
        requests_ns=None if time is None else time.requests_ns,
        writing_ns=None if time is None else time.writing_ns,
        rest_ns=None if time is None else time.rest_ns,
        prompt_cut=turn.prompt_cut,
        silence_ns=turn.silence_ns,
        silence_frame=turn.silence_frame or turn.frame,
        chunks=sum(writing.chunks for writing in turn.writing),
        model_ns=None if parts is None else parts.model_ns,
        tool_ns=None if parts is None else parts.tool_ns,
        client_ns=None if parts is None else parts.client_ns,
        own_ns=None if parts is None else parts.own_ns,
        unknown_ns=None if parts is None else parts.unknown_ns,
        model_calls=model_calls,
        input_tokens=turn.tokens[0],
        cached_tokens=turn.tokens[1],
        output_tokens=turn.tokens[2],
        cost=jsontext.string({key: round(amount, 9) for key, amount in turn.cost.items()})
        if turn.cost
        else None,
    )


def _tool_call(session: SessionState, call: ToolCallState) -> facts.ToolCall:
    return facts.ToolCall(
        session_id=session.id,
        turn=call.turn,
        id=call.id,
        frame=call.frame,
        title=call.title,
        kind=call.kind,
        status=call.status,
        t_ns=call.t,
        duration_ns=call.duration_ns,
        ended_frame=call.ended_frame,
        began_ns=None if call.ran is None else call.ran[0],
        parent_id=call.parent,
        replayed=call.replayed,
        over_ns=call.over(None if call.turn is None else session.turns[call.turn].ended_t),
    )


def _permission(session_id: str, permission: PermissionState) -> facts.Permission:
    option_id, request = permission.option_id, permission.asked
    return facts.Permission(
        session_id=session_id,
        turn=permission.turn,
        frame=request.frame,
        outcome=permission.outcome,
        option_id=option_id,
        option_kind=None if option_id is None else permission.kinds.get(option_id),
        wait_ns=request.latency_ns,
        t_ns=request.t,
        tool_call_id=permission.tool_call_id,
        title=permission.title,
        parent_id=permission.parent,
    )


def _times(
    session: SessionState,
    now: int,
    calls: TurnCalls | None,
    below: Mapping[tuple[str, int | None], SubagentWork],
) -> Iterator[tuple[TurnState, int, TurnTime, TurnParts | None]]:
    """Yield each turn, how long it took (ns), and where that time went (docs/report.md, Time of a turn).

    A turn that has not settled lasts until `now`. Recorded model calls also split its time.
    """
    tools: dict[int | None, list[Interval]] = {}
    unknown: dict[int | None, list[Interval]] = {}
    permissions: dict[int | None, list[Interval]] = {}
    for call in session.tool_calls.values():
        if (ran := call.ran) is not None:
            tools.setdefault(call.turn, []).append(ran)
        if (ran := call.may_have_run) is not None:
            unknown.setdefault(call.turn, []).append(ran)
    for permission in session.permissions:
        permissions.setdefault(permission.turn, []).append(_open(permission.asked))
    for turn in session.turns:
        took_ns = max(now - turn.t, 0) if turn.duration_ns is None else turn.duration_ns
        span = turn.t, turn.t + took_ns
        subagents = below.get((session.id, turn.index), SubagentWork([], [], []))
        requests = [*session.requests.get(turn.index, ()), *subagents.requests]
        # If a client waits for a command to end, the command is slow, not the client.
        commands = [_open(request) for request in requests if request.method == methods.TERMINAL_WAIT]
        asked = [*permissions.get(turn.index, ()), *map(_open, subagents.permissions)]
        others = [_open(request) for request in requests if request.method != methods.TERMINAL_WAIT]
        ran_tools = [*tools.get(turn.index, ()), *commands, *subagents.runs]
        time = split(
            span,
            None if turn.first_output_ns is None else turn.t + turn.first_output_ns,
            permissions=asked,
            requests=others,
            tools=ran_tools,
            writing=[(writing.since, writing.until) for writing in turn.writing],
        )
        parts = None
        if calls is not None:
            may_have_run = unknown.get(turn.index, ())
            parts = calls.parts(session.id, turn.index, span, [*asked, *others], ran_tools, may_have_run)
        yield turn, took_ns, time, parts


def _open(request: Open) -> Interval:
    """Return the interval in which a request was open."""
    return request.t, FOR_EVER if request.latency_ns is None else request.t + request.latency_ns
