"""Where the time of each turn went, as the rows of a table. Pure."""

from __future__ import annotations

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.documents import TurnRow, TurnsDocument
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import phrases
from acp_trace.report.statements.turn_parts import parts

#: The most turns that are listed.
MOST = 200
_PROMPT = 80


def cancels_of_turns(trace_facts: facts.Facts) -> dict[int | None, facts.Cancellation]:
    """The last cancel that aimed at each turn, by the turn's frame."""
    return {each.target_frame: each for each in trace_facts.cancellations if each.kind != "internal"}


def how_it_ended(turn: facts.Turn, cancel: facts.Cancellation | None) -> str:
    """`end_turn`; with a cancel `cancelled by` or `end_turn despite`, before the cancel's frame."""
    error = "not settled" if turn.error_code is None else f"error {turn.error_code}"
    ended = safe(turn.stop_reason or error)
    if cancel is None:
        return ended
    return f"{ended} by" if cancel.outcome == "cancelled" else f"{ended} despite"


def turn_rows(trace_facts: facts.Facts) -> TurnsDocument:
    """The first turns, with the parts of their time in numbers, in words, and as the width of a bar."""
    turns = sorted(trace_facts.turns, key=lambda turn: turn.frame)
    ordinals, names = turn_numbers(turns), names_of(trace_facts)
    shown = parts(turns)
    longest = max((turn.duration_ns or 0 for turn in turns), default=0) or 1
    cancels = cancels_of_turns(trace_facts)
    rows = []
    for turn in turns[:MOST]:
        shares = [(part.name, part.of(turn)) for part in shown]
        cancel = cancels.get(turn.frame)
        prompt = phrases.prompt(turn.prompt or "", is_cut=turn.prompt_cut, blanks=True)
        rows.append(TurnRow(
            names.heading(turn.session_id, turn.turn),
            ordinals[turn.frame],
            "–" if turn.duration_ns is None else units.duration(turn.duration_ns),
            how_it_ended(turn, cancel),
            cancel.frame if cancel else None,
            shorten(prompt, _PROMPT),
            turn.frame,
            [ns for _, ns in shares],
            ", ".join(f"{name} {units.duration(ns)}" for name, ns in shares if ns),
            f"{100 * (turn.duration_ns or 0) / longest:.2f}%",
        ))  # fmt: skip
    legend = [part.name for part in shown] if trace_facts.trace.has_times else []
    return {"legend": legend, "rows": rows, "more": max(len(turns) - MOST, 0)}
