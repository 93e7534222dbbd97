"""The longest time without a frame, and who owed an answer meanwhile. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.report import units
from acp_trace.report.page.answered import Line
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases

#: A shorter one is not worth a line, ns.
_LEAST_NS = 1_000_000_000
_OTHER = {"client": "agent", "agent": "client"}
#: So many requests are named.
_NAMED = 2


class _Gap(NamedTuple):
    """`until`: the frame that ended it; None: the trace ended."""

    start: int
    end: int
    until: int | None


class LongestSilence:
    """That of a trace, whose frames come in their order."""

    def __init__(self, trace_facts: facts.Facts) -> None:
        self._facts = trace_facts
        self._last: int | None = None
        self._last_frame = 1
        self._longest = _Gap(0, 0, None)

    def add(self, frames: Sequence[Frame]) -> None:
        """The next frames."""
        times = [frame.t_ns or 0 for frame in frames]
        before = times[:1] if self._last is None else [self._last]
        gaps = [later - earlier for earlier, later in pairwise(before + times)]
        longest = max(gaps, default=0)
        if longest > self._longest.end - self._longest.start:
            at = gaps.index(longest)
            self._longest = _Gap(times[at] - longest, times[at], int(frames[at].frame))
        if frames:
            self._last, self._last_frame = times[-1], int(frames[-1].frame)

    def line(self, *, live: bool) -> Line | None:
        """How long, when, and who owed what; None if it is short, or the trace has no times.

        What came after the last frame counts if somebody owed an answer then.
        """
        trace = self._facts.trace
        if not trace.has_times or self._last is None:
            return None
        gap = self._longest
        rest = _Gap(self._last, max(trace.duration_ns or 0, self._last), None)
        if not live and rest.end - rest.start > gap.end - gap.start and self._open(rest):
            gap = rest
        took = gap.end - gap.start
        if took < _LEAST_NS:
            return None
        until = "to the end" if gap.until is None else f"until #{gap.until}"
        owed = self._owed(gap) or "nobody owed an answer"
        text = f"longest silence: {units.duration(took)} from {gap.start / 1e9:.3f} s {until}; {owed}"
        place = {"sum": f"{gap.start}-{gap.end}"}
        return Line(text, gap.until or self._last_frame, "timeline", place)

    def _open(self, gap: _Gap) -> list[facts.Exchange]:
        """The requests that were open all the time, the latest first; not those that waited for a later one.

        An agent that asks its client in a turn waits for that answer.
        """
        found: list[facts.Exchange] = []
        later: set[tuple[str, str | None]] = set()
        for exchange in reversed(self._facts.exchanges):
            sent = exchange.t_ns or 0
            is_over = exchange.latency_ns is not None and sent + exchange.latency_ns < gap.end
            if sent > gap.start or is_over:
                continue
            if (_OTHER.get(exchange.sender, ""), exchange.session_id) not in later:
                found.append(exchange)
            later.add((exchange.sender, exchange.session_id))
        return found

    def _owed(self, gap: _Gap) -> str:
        open_ = self._open(gap)
        named = [
            f"the {_OTHER.get(each.sender, each.sender)} owed the answer to {safe(each.method)} #{each.frame}"
            for each in open_[:_NAMED]
        ]
        if len(open_) > _NAMED:
            named.append(f"and {phrases.count(len(open_) - _NAMED, 'more request')}")
        calls = [
            call
            for call in self._facts.model_calls
            if (call.started_ns or 0) <= gap.start
            and (call.duration_ns is None or (call.started_ns or 0) + call.duration_ns >= gap.end)
        ]
        if calls and any(each.sender == "client" for each in open_):
            named.append(f"its model owed that of call {calls[-1].call}")
        return ", ".join(named)
