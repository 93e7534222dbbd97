"""Changes in what an agent sent its model -> divergences. Pure.

Calls are matched elsewhere: by a replay while it answers, or by the contents of two calls. Only `strict`
makes a change fail: an agent may send its model something else and do the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acp_trace.analyze.facts import Facts
from acp_trace.compare.codes import CODES
from acp_trace.compare.model_outcome import compared
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import Comparison, Divergence, ModelOutcome, PlacedChange
from acp_trace.compare.run_order import RunOrder


def with_model(
    comparison: Comparison,
    readers: tuple[ModelReader, ModelReader],
    facts: tuple[Facts, Facts],
    *,
    strict: bool = False,
) -> Comparison:
    """Return a comparison with the differences in what the two agents sent their models."""
    outcome = compared(readers, facts, is_whole=comparison.got.complete)
    if outcome is None:
        return comparison
    of_model = divergences(outcome, strict=strict)
    together = RunOrder(comparison.pairs).among(of_model, comparison.divergences)
    return replace(comparison, model=outcome, divergences=together)


def divergences(outcome: ModelOutcome, *, strict: bool) -> list[Divergence]:
    """Return a divergence for each change, with its code's severity; if `strict`, those that can fail do."""
    return [_divergence(placed, strict=strict) for placed in outcome.placed]


def _divergence(placed: PlacedChange, *, strict: bool) -> Divergence:
    change = placed.change
    row = CODES[change.code]
    return Divergence(
        change.code,
        "error" if strict and row.may_fail else row.severity,
        placed.session_id,
        placed.message,
        _then(change.expected_calls) if placed.expected else None,
        _then(change.actual_calls) if placed.actual else None,
        placed.expected,
        placed.actual,
        common_got=placed.actual,
    )


def _then(calls: Sequence[int]) -> str:
    return f"then call {calls[0]} of the model" if calls else ""
