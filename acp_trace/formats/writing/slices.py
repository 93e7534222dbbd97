"""Facts -> slices on the tracks of client, agent and model, as viewers of performance traces draw them.

A request is four slices: it is sent, it is worked on, it is answered, the answer is received. An arrow leads
from the first to the work, and one from the answer to where it is received.
The unit is the microsecond. A trace without times is drawn by its frames, one a millisecond; the writer says
so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from acp_trace.analyze.facts import Exchange, Facts, ModelCall, Permission, ToolCall, Turn
from acp_trace.analyze.tool_span import span
from acp_trace.protocol import methods
from acp_trace.trace.entries import OTHER_SIDE

Process = Literal["client", "agent", "model"]

#: µs that a frame takes in a trace without times.
FRAME_US = 1000.0
_SIDES: dict[str, Process] = {"client": "client", "agent": "agent"}


@dataclass(slots=True)
class Slice:
    """Something that took time. `end` is None if it never ended."""

    process: Process
    session: str | None  #: the session whose track it is on; None: the connection's
    name: str
    category: str
    start: float  #: µs
    end: float | None
    args: dict[str, Any] = field(default_factory=dict)
    flow: int | None = None  #: the number of its arrow
    flows_out: bool = False  #: whether the arrow begins here, not ends


def place(t_ns: int | None, frame: int) -> float:
    """The position of something, µs: its time, or the place of its frame in a trace without times."""
    return frame * FRAME_US if t_ns is None else t_ns / 1000


def _end(t_ns: int | None, duration_ns: int | None, last_frame: int | None) -> float | None:
    if t_ns is None:
        return None if last_frame is None else last_frame * FRAME_US
    return None if duration_ns is None else (t_ns + duration_ns) / 1000


def slices(facts: Facts) -> Iterator[Slice]:
    """All of them, in no order."""
    answers = {exchange.frame: exchange.response_frame for exchange in facts.exchanges}
    permissions = {permission.frame: permission for permission in facts.permissions}
    for turn in facts.turns:
        yield _turn(turn)
    for tool in facts.tool_calls:
        if not tool.replayed:
            yield _tool(tool)
    for exchange in facts.exchanges:
        yield from _exchange(exchange, permissions.get(exchange.frame))
    last = max(answers, default=0)
    for call in facts.model_calls:
        yield from _call(call, last + call.call)


def _turn(turn: Turn) -> Slice:
    name = f"turn {turn.turn}" + (f": {turn.prompt}" if turn.prompt else "")
    end = _end(turn.t_ns, turn.duration_ns, turn.settled_frame)
    args = {"stop_reason": turn.stop_reason, "error_code": turn.error_code, "frame": turn.frame}
    return Slice("client", turn.session_id, name, "turn", place(turn.t_ns, turn.frame), end, args)


def _tool(tool: ToolCall) -> Slice:
    began, took = span(tool)
    end = _end(began, took, tool.ended_frame)
    args = {"id": tool.id, "kind": tool.kind, "status": tool.status, "frame": tool.frame, "turn": tool.turn}
    name = tool.title or tool.kind or tool.id
    return Slice("agent", tool.session_id, name, "tool call", place(began, tool.frame), end, args)


def _exchange(exchange: Exchange, permission: Permission | None) -> Iterator[Slice]:
    sender, session = _SIDES.get(exchange.sender, "client"), exchange.session_id
    start = place(exchange.t_ns, exchange.frame)
    end = _end(exchange.t_ns, exchange.latency_ns, exchange.response_frame)
    args = {"frame": exchange.frame, "response": exchange.response_frame, "id": exchange.id}
    args |= {"outcome": exchange.outcome, "error": exchange.error_message}
    name, category = exchange.method, "request"
    if exchange.method == methods.PERMISSION and permission is not None:
        name, category = f"permission: {permission.title or permission.tool_call_id or '?'}", "permission"
        args |= {"outcome": permission.outcome, "option": permission.option_kind}
    work = Slice(OTHER_SIDE[sender], session, name, category, start, end, args)
    yield from _request(sender, exchange.method, exchange.outcome, work, exchange.frame)


def _call(call: ModelCall, flow: int) -> Iterator[Slice]:
    start = place(call.started_ns, 0)
    end = None if call.duration_ns is None else (call.started_ns + call.duration_ns) / 1000
    args: dict[str, Any] = {
        "call": call.call,
        "turn": call.turn,
        "provider": call.provider,
        "status": call.status,
    }
    args |= {"stop_reason": call.stop_reason, "error": call.error, "aborted": call.aborted}
    args |= {"input_tokens": call.input_tokens, "output_tokens": call.output_tokens}
    args["first_token_us"] = None if call.first_token_ns is None else call.first_token_ns / 1000
    work = Slice("model", call.session_id, call.model or call.provider, "model call", start, end, args)
    yield from _request("agent", "model call", "error" if call.error else "result", work, flow)


def _request(sender: Process, what: str, outcome: str, work: Slice, number: int) -> Iterator[Slice]:
    """What is sent, worked on and answered, with its arrows."""
    args: dict[str, Any] = {key: work.args[key] for key in ("frame", "call") if key in work.args}
    start, end, session, out = work.start, work.end, work.session, 2 * number

    def message(process: Process, name: str, at: float, arrow: int, *, flows_out: bool) -> Slice:
        return Slice(process, session, name, "message", at, at, dict(args), arrow, flows_out)

    yield message(sender, f"send {what}", start, out, flows_out=True)
    work.flow = out
    yield work
    if end is not None:
        yield message(work.process, f"answer {what}: {outcome}", end, out + 1, flows_out=True)
        yield message(sender, f"receive {outcome} of {what}", end, out + 1, flows_out=False)
