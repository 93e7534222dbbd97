"""The changes of what an agent told its model -> divergences. Pure.

Which call is which is decided elsewhere: by a replay while it answers, or by what two calls say. Whether a
change fails is asked for (`strict`): an agent may tell its model something else and do the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.compare.result import Divergence, ModelOutcome, PlacedChange


def divergences(outcome: ModelOutcome, *, strict: bool) -> list[Divergence]:
    """A divergence for each change: a note, unless it is `strict`."""
    return [_divergence(placed, "error" if strict else "note") for placed in outcome.placed]


def _divergence(placed: PlacedChange, severity: str) -> Divergence:
    change = placed.change
    return Divergence(
        change.code,
        severity,
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
