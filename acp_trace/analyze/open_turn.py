"""A turn that never ended, as if it had ended with its trace: how long it was, where its time went. Pure."""

from __future__ import annotations

from dataclasses import asdict, replace

from acp_trace.analyze import facts
from acp_trace.analyze.turn_time import Interval, split
from acp_trace.protocol import methods


def until_end(turn: facts.Turn, trace_facts: facts.Facts) -> facts.Turn:
    """The turn with a duration until the end of the trace (ns), and its parts. One that ended as it is."""
    if turn.duration_ns is not None:
        return turn
    end = max(trace_facts.trace.duration_ns, turn.t_ns)

    def interval(since: int, took_ns: int | None) -> Interval:
        return since, end if took_ns is None else since + took_ns

    requests = [
        exchange
        for exchange in trace_facts.exchanges
        if exchange.sender == "agent" and exchange.session_id == turn.session_id
    ]
    commands = [interval(one.t_ns, one.latency_ns) for one in requests if one.method == methods.TERMINAL_WAIT]
    others = (methods.TERMINAL_WAIT, methods.PERMISSION)
    time = split(
        (turn.t_ns, end),
        None if turn.first_output_ns is None else turn.t_ns + turn.first_output_ns,
        permissions=[
            interval(permission.t_ns, permission.wait_ns)
            for permission in trace_facts.permissions
            if (permission.session_id, permission.turn) == (turn.session_id, turn.turn)
        ],
        requests=[interval(one.t_ns, one.latency_ns) for one in requests if one.method not in others],
        tools=[*_tools(turn, trace_facts, end), *commands],
    )
    return replace(turn, duration_ns=end - turn.t_ns, **asdict(time))


def _tools(turn: facts.Turn, trace_facts: facts.Facts, end: int) -> list[Interval]:
    """From when until when each tool call ran: not while it was pending, as in a turn that ended."""
    began: dict[str, int] = {}
    for step in trace_facts.tool_call_steps:
        if (step.session_id, step.turn, step.status) == (turn.session_id, turn.turn, "in_progress"):
            began.setdefault(step.id, step.t_ns)
    intervals = []
    for call in trace_facts.tool_calls:
        if (call.session_id, call.turn) != (turn.session_id, turn.turn):
            continue
        if call.duration_ns is not None:
            intervals.append((began.get(call.id, call.t_ns), call.t_ns + call.duration_ns))
        elif call.id in began:
            intervals.append((began[call.id], end))
    return intervals
