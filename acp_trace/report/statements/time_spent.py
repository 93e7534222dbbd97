"""Where the time of a trace went: in its turns, whose time that was, and outside of turns. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.session_names import SessionNames
from acp_trace.report.statements.turn_parts import MODEL_PARTS, PARTS
from acp_trace.trace.counts import counted
from acp_trace.trace.intervals import length, union

#: The smallest number of turns for which the slowest is named.
_SEVERAL = 3


class TimeSpent(NamedTuple):
    """Where the time of a trace went, in ns: the parts add up to the whole."""

    whole: int
    before: int  #: until the first prompt
    turns: int  #: while at least one turn was open
    between: int  #: between turns
    after: int  #: since the last turn settled


def time_spent(trace_facts: facts.Facts) -> TimeSpent | None:
    """Return where the time went; None for a part of a trace, without times, and without turns."""
    trace = trace_facts.trace
    if trace.last_frame_ns is None:
        return None
    whole = max(trace.duration_ns or 0, trace.last_frame_ns)
    spans = union(
        (turn.t_ns, whole if turn.duration_ns is None else turn.t_ns + turn.duration_ns)
        for turn in trace_facts.turns
        if turn.t_ns is not None
    )
    if not spans:
        return None
    before, after = spans[0][0], whole - spans[-1][1]
    turns = length(spans)
    return TimeSpent(whole, before, turns, whole - before - turns - after, after)


def sentence(spent: TimeSpent, turns: Sequence[facts.Turn], names: SessionNames) -> str:
    """Return the times as a few sentences.

    `4 turns took 6.10 s of 9.00 s: model 4.10 s, tools 2.00 s. Outside: 1.90 s before, 1.00 s after.
    Turn 2 (#31) was the slowest: 4.10 s.`
    """
    took = (
        f"{counted(len(turns), 'turn')} took {units.duration(spent.turns)} of {units.duration(spent.whole)}"
    )
    shares = _shares(turns)
    outside = ((spent.before, "before"), (spent.between, "between"), (spent.after, "after"))
    rest = ", ".join(f"{units.duration(ns)} {where}" for ns, where in outside if ns)
    times = f"{took}: {shares}." if shares else f"{took}."
    return " ".join(filter(None, (times, f"Outside: {rest}." if rest else "", _slowest(turns, names))))


def _slowest(turns: Sequence[facts.Turn], names: SessionNames) -> str:
    """Return a sentence about the slowest turn; empty if turns are few, or if two are equally slow."""
    durations = [turn.duration_ns or 0 for turn in turns]
    longest = max(durations, default=0)
    if len(turns) < _SEVERAL or not all(durations) or durations.count(longest) > 1:
        return ""  # a turn that is still open may become the slowest
    slowest = turns[durations.index(longest)]
    name = names.heading(slowest.session_id, slowest.turn)
    return f"{name} (#{slowest.frame}) was the slowest: {units.duration(longest)}."


def owned_time(turns: Sequence[facts.Turn]) -> str:
    """`Of 16.6 s in 4 turns: model 9.10 s, tools 4.00 s, agent 2.90 s.`; empty if no turn settled in time."""
    settled = [turn for turn in turns if turn.duration_ns]
    took = units.duration(sum(turn.duration_ns or 0 for turn in settled))
    return f"Of {took} in {counted(len(settled), 'turn')}: {shares}." if (shares := _shares(turns)) else ""


def _shares(turns: Sequence[facts.Turn]) -> str:
    """Whose the time of settled turns was, the most first; turns at the same time count each."""
    settled = [turn for turn in turns if turn.duration_ns]
    shares = Counter[str]()
    for part in MODEL_PARTS if all(turn.model_ns is not None for turn in settled) else PARTS:
        shares[part.owner] += sum(map(part.of, settled))
    return ", ".join(f"{side} {units.duration(ns)}" for side, ns in shares.most_common() if ns)
