"""The tool calls that took longest, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest

from acp_trace.analyze import facts
from acp_trace.analyze.tool_span import has_unknown_time, span
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten

#: The most tool calls of a session that are named.
_MOST = 3
_TITLE = 40


def slowest(calls: Iterable[facts.ToolCall]) -> Sequence[facts.ToolCall]:
    """Return the calls that took longest, the slowest first; none unless the times of two are known."""
    timed = [call for call in calls if _ns(call)]
    return nlargest(_MOST, timed, key=_ns) if len(timed) > 1 else ()


def named(calls: Iterable[facts.ToolCall]) -> Iterator[str]:
    """Yield kind, title, frame and time of each: `edit Write list.txt #21 484 ms`."""
    for call in calls:
        what = " ".join(filter(None, (call.kind, call.title or call.id)))
        yield f"{safe(shorten(what, _TITLE))} #{call.frame} {units.duration(_ns(call))}"


def _ns(call: facts.ToolCall) -> int:
    """How long a call took, ns; 0 if that is unknown."""
    return 0 if has_unknown_time(call) else span(call)[1] or 0
