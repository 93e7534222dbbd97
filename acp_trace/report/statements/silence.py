"""The longest time without a frame, and who owed an answer meanwhile. Pure.

`analyze` measures the time; which requests were open then is looked up here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import OTHER_SIDE

#: A shorter silence is not worth a line, ns.
_LEAST_NS = 100_000_000
#: The most requests that are named.
_NAMED = 2


class Silence(NamedTuple):
    """A time without a frame (ns). `until`: the frame that ended it; None: it lasted until the trace ended.

    `owed`: the requests that were open all the time, the latest first. `call`: the model's call that was too.
    `idle`: how long (ns) the trace went on after its last frame, with no answer owed, if that is longer.
    """

    start: int
    end: int
    until: int | None
    owed: Sequence[facts.Exchange]
    call: int | None
    idle: int = 0

    @property
    def ns(self) -> int:
        """How long it was."""
        return self.end - self.start


def longest(trace_facts: facts.Facts, *, live: bool = False) -> Silence | None:
    """Return the longest silence of a trace; None if it is short, or unknown: of a part, or without times.

    The time after the last frame counts if a side owed an answer then; `live`: it has no end yet.
    """
    trace = trace_facts.trace
    last = trace.last_frame_ns
    if last is None:
        return None
    start = trace.silence_from_ns or 0
    found = start, start + (trace.silence_ns or 0), trace.silence_frame
    rest = last, max(trace.duration_ns or 0, last), None
    idle = 0
    if not live and rest[1] - rest[0] > found[1] - found[0]:
        if _open(trace_facts, *rest[:2]):
            found = rest
        else:
            idle = rest[1] - rest[0]
    if found[1] - found[0] < _LEAST_NS:
        return None
    owed = _open(trace_facts, *found[:2])
    return Silence(*found, owed, _call(trace_facts, owed, *found[:2]), idle)


def sentence(silence: Silence) -> str:
    """`6.00 s from 0.005 s until #6; the agent owed the answer to session/prompt #5`, without a full stop."""
    until = "to the end" if silence.until is None else f"until #{silence.until}"
    named = [
        f"the {side_owing(each)} owed the answer to {safe(each.method)} #{each.frame}"
        for each in silence.owed[:_NAMED]
    ]
    if len(silence.owed) > _NAMED:
        named.append(f"and {counted(len(silence.owed) - _NAMED, 'more request')}")
    if silence.call is not None:
        named.append(f"its model owed that of call {silence.call}")
    owed = ", ".join(named) or "no answer was pending"
    idle = f"; after the last frame, {units.duration(silence.idle)} until the end" if silence.idle else ""
    return f"{units.duration(silence.ns)} from {silence.start / 1e9:.3f} s {until}; {owed}{idle}"


def side_owing(exchange: facts.Exchange) -> str:
    """The side that has to answer a request."""
    return OTHER_SIDE.get(exchange.sender, exchange.sender)


def _open(trace_facts: facts.Facts, start: int, end: int) -> list[facts.Exchange]:
    """The requests that were open all the time, the latest first; not those that waited for a later one.

    An agent that asks its client in a turn waits for that answer.
    """
    found: list[facts.Exchange] = []
    later: set[tuple[str, str | None]] = set()
    for exchange in reversed(trace_facts.exchanges):
        sent = exchange.t_ns or 0
        is_over = exchange.latency_ns is not None and sent + exchange.latency_ns < end
        if sent > start or is_over:
            continue
        if (side_owing(exchange), exchange.session_id) not in later:
            found.append(exchange)
        later.add((exchange.sender, exchange.session_id))
    return found


def _call(trace_facts: facts.Facts, owed: Sequence[facts.Exchange], start: int, end: int) -> int | None:
    """The latest call of the model that was open all the time, if the agent owed its client an answer."""
    if not any(each.sender == "client" for each in owed):
        return None
    calls = (
        call.call
        for call in reversed(trace_facts.model_calls)
        if (call.started_ns or 0) <= start
        and (call.duration_ns is None or (call.started_ns or 0) + call.duration_ns >= end)
    )
    return next(calls, None)
