"""Whose the time of turns was: the model's, the tools', the client's or the agent's own. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.statements.turn_parts import MODEL_PARTS, PARTS
from acp_trace.trace.counts import counted


def owned_time(turns: Sequence[facts.Turn]) -> str:
    """`Of 16.6 s in 4 turns: model 9.10 s, tools 4.00 s, agent 2.90 s`; empty if no turn settled in time."""
    settled = [turn for turn in turns if turn.duration_ns]
    if not settled:
        return ""
    shares = Counter[str]()
    for part in MODEL_PARTS if all(turn.model_ns is not None for turn in settled) else PARTS:
        shares[part.owner] += sum(map(part.of, settled))
    listed_shares = ", ".join(f"{side} {units.duration(ns)}" for side, ns in shares.most_common() if ns)
    took = units.duration(sum(turn.duration_ns or 0 for turn in settled))
    return f"Of {took} in {counted(len(settled), 'turn')}: {listed_shares}." if listed_shares else ""
