"""How long a tool call took, in words for the page. Pure.

Some agents announce a call, wait for a permission, and only then work. Others announce it when it is over
(`analyze.tool_span`).
"""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.analyze import facts
from acp_trace.analyze.tool_span import began_at_answer, has_unknown_time
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.trace.intervals import length, union

NOT_ANNOUNCED = "not announced before it ran: its time is not known"
FROM_ANSWER = "from its permission's answer: not announced before it ended"
NEVER_ENDED = "never ended"


class ToolTimes:
    """The times of the tool calls of a trace; `end`: when the trace ended (ns); None if it has no times."""

    def __init__(self, permissions: Iterable[facts.Permission], end: int | None) -> None:
        self._permissions = group(permissions, lambda one: (one.session_id, one.tool_call_id))
        self._end = end

    def of(self, call: facts.ToolCall) -> str:
        """How long a call took, and how much of that it waited."""
        took = None if call.duration_ns is None else units.duration(call.duration_ns)
        return ", ".join(filter(None, (took, self.note(call))))

    def note(self, call: facts.ToolCall) -> str:
        """What its duration alone does not say."""
        if call.replayed:
            return ""
        if call.ended_frame is None:
            return NEVER_ENDED
        if has_unknown_time(call):
            return NOT_ANNOUNCED
        if began_at_answer(call):
            return FROM_ANSWER
        if call.duration_ns is None or call.t_ns is None or self._end is None:
            return ""
        until = call.t_ns + call.duration_ns
        waits = []
        for one in self._permissions.get((call.session_id, call.id), []):
            asked = one.t_ns or 0
            answered = self._end if one.wait_ns is None else asked + one.wait_ns
            waits.append((max(asked, call.t_ns), min(answered, until)))
        waited = length(union(waits))
        return f"of which {units.duration(waited)} waiting for permission" if waited else ""
