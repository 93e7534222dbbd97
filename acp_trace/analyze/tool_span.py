"""The interval in which a tool call is drawn and measured, from its fact. Pure arithmetic, in ns.

An agent may announce a tool call only when the call is over. If it asked for a permission before, the call
began at the answer, which is before the frame of its fact; otherwise its time is unknown, and belongs to no
part of the turn (docs/report.md, Time of a turn). `work` decides which case applies.
"""

from __future__ import annotations

from acp_trace.analyze.facts import ToolCall


def began_at_answer(call: ToolCall) -> bool:
    """Return whether a call began at the answer to its permission, before an update named it."""
    return call.began_ns is not None and call.t_ns is not None and call.began_ns < call.t_ns


def has_unknown_time(call: ToolCall) -> bool:
    """Return whether a call is over and nothing says when it began."""
    return call.ended_frame is not None and call.t_ns is not None and call.duration_ns is None


def span(call: ToolCall) -> tuple[int | None, int | None]:
    """Return its begin and its duration, ns; no duration while it may run, and 0 if that is unknown."""
    if has_unknown_time(call):
        return call.t_ns, 0
    if call.ended_frame is None and call.over_ns is not None and call.t_ns is not None:
        return call.t_ns, max(call.over_ns - call.t_ns, 0)
    return (call.began_ns if began_at_answer(call) else call.t_ns), call.duration_ns
