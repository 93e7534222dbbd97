"""Whose the time of turns was: the model's, the tools', the client's or the agent's own. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.statements import phrases

#: Sides, and the parts of a turn's time that are theirs: with the model's side recorded, and without. In the
#: second case the agent's time cannot be separated from its model's.
_WITH_MODEL = (
    ("model", ("model_ns",)),
    ("tools", ("tool_ns",)),
    ("agent", ("own_ns",)),
    ("client", ("client_ns",)),
    ("agent or tools", ("unknown_ns",)),
)
_WITHOUT_MODEL = (
    ("agent and model", ("before_output_ns", "writing_ns", "rest_ns")),
    ("tools", ("tools_ns",)),
    ("client", ("permissions_ns", "requests_ns")),
)


def owned_time(turns: Sequence[facts.Turn]) -> str:
    """`Of 16.6 s in 4 turns: model 9.10 s, tools 4.00 s, agent 2.90 s`; empty if no turn settled in time."""
    settled = [turn for turn in turns if turn.duration_ns]
    if not settled:
        return ""
    has_model = all(turn.model_ns is not None for turn in settled)
    shares = [
        (side, sum(getattr(turn, part) or 0 for turn in settled for part in parts))
        for side, parts in (_WITH_MODEL if has_model else _WITHOUT_MODEL)
    ]
    most_first = sorted(((side, ns) for side, ns in shares if ns), key=lambda share: -share[1])
    told = ", ".join(f"{side} {units.duration(ns)}" for side, ns in most_first)
    took = units.duration(sum(turn.duration_ns or 0 for turn in settled))
    return f"Of {took} in {phrases.count(len(settled), 'turn')}: {told}." if told else ""
