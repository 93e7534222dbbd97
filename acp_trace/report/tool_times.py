"""How long a tool call took, in words for the page, and for every report whether its time is known. Pure.

An agent may ask for a permission first and announce the call when it is over: then its duration is 0 and
means nothing. Another announces it, waits for the permission, and only then works.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.trace.intervals import length, union

NOT_ANNOUNCED = "not announced before it ran: its time is not known"
NEVER_ENDED = "never ended"


def by_call(
    permissions: Iterable[facts.Permission],
) -> dict[tuple[str | None, str | None], list[facts.Permission]]:
    """The permissions of each tool call: session id and tool call id -> permissions in their order."""
    return group(permissions, lambda one: (one.session_id, one.tool_call_id))


def is_unannounced(call: facts.ToolCall, permissions: Sequence[facts.Permission]) -> bool:
    """Return whether a call was announced only when it was over, so that its duration of 0 means nothing.

    `permissions`: those of this call.
    """
    return call.duration_ns == 0 and any(one.frame < call.frame for one in permissions)


class ToolTimes:
    """The times of the tool calls of a trace; `end`: when the trace ended (ns); None if it has no times."""

    def __init__(self, permissions: Iterable[facts.Permission], end: int | None) -> None:
        self._permissions = by_call(permissions)
        self._end = end

    def of(self, call: facts.ToolCall) -> str:
        """How long a call took, and how much of that it waited."""
        note = self.note(call)
        if call.duration_ns is None or note == NOT_ANNOUNCED:
            return note
        return ", ".join(filter(None, (units.duration(call.duration_ns), note)))

    def note(self, call: facts.ToolCall) -> str:
        """What its duration alone does not say."""
        if call.ended_frame is None:
            return NEVER_ENDED
        if call.duration_ns is None or call.t_ns is None or self._end is None:
            return ""
        permissions = self._permissions.get((call.session_id, call.id), [])
        if is_unannounced(call, permissions):
            return NOT_ANNOUNCED
        until = call.t_ns + call.duration_ns
        waits = []
        for one in permissions:
            asked = one.t_ns or 0
            answered = self._end if one.wait_ns is None else asked + one.wait_ns
            waits.append((max(asked, call.t_ns), min(answered, until)))
        waited = length(union(waits))
        return f"of which {units.duration(waited)} waiting for permission" if waited else ""
