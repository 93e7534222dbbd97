"""Where the time of each turn went, as the rows of a table. Pure."""

from __future__ import annotations

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.documents import TurnRow, TurnsDocument
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import phrases

#: The most turns that are listed.
MOST = 200
_PROMPT = 80
#: Parts of a turn's time: with the model's side, the last one only if some turn has it; and without.
_SHARES: tuple[tuple[str, str], ...] = (
    ("model", "model_ns"),
    ("tools", "tool_ns"),
    ("client", "client_ns"),
    ("own", "own_ns"),
    ("unknown", "unknown_ns"),
)
_PARTS: tuple[tuple[str, str], ...] = (
    ("before output", "before_output_ns"),
    ("tools", "tools_ns"),
    ("permissions", "permissions_ns"),
    ("requests", "requests_ns"),
    ("writing", "writing_ns"),
    ("rest", "rest_ns"),
)


def turn_rows(trace_facts: facts.Facts) -> TurnsDocument:
    """The first turns, with the parts of their time in numbers, in words, and as the width of a bar."""
    turns = sorted(trace_facts.turns, key=lambda turn: turn.frame)
    ordinals, names = turn_numbers(turns), names_of(trace_facts)
    parts = _PARTS
    if any(turn.model_ns is not None for turn in turns):
        parts = _SHARES if any(turn.unknown_ns for turn in turns) else _SHARES[:-1]
    longest = max((turn.duration_ns or 0 for turn in turns), default=0) or 1
    cancels = {each.target_frame: each.frame for each in trace_facts.cancellations if each.kind != "internal"}
    rows = []
    for turn in turns[:MOST]:
        shares = [(name, getattr(turn, key) or 0) for name, key in parts]
        error = "not settled" if turn.error_code is None else f"error {turn.error_code}"
        prompt = phrases.prompt(turn.prompt or "", is_cut=turn.prompt_cut, blanks=True)
        rows.append(TurnRow(
            names.heading(turn.session_id, turn.turn),
            ordinals[turn.frame],
            "–" if turn.duration_ns is None else units.duration(turn.duration_ns),
            safe(turn.stop_reason or error),
            cancels.get(turn.frame),
            shorten(prompt, _PROMPT),
            turn.frame,
            [ns for _, ns in shares],
            ", ".join(f"{name} {units.duration(ns)}" for name, ns in shares if ns),
            f"{100 * (turn.duration_ns or 0) / longest:.2f}%",
        ))  # fmt: skip
    legend = [name for name, _ in parts] if trace_facts.trace.has_times else []
    return {"legend": legend, "rows": rows, "more": max(len(turns) - MOST, 0)}
