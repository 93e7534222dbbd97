"""What became of a model's calls, as JSON: a part of what `replay --json` and `diff --json` print."""

from __future__ import annotations

from typing import Any

from acp_trace.compare.result import ModelOutcome
from acp_trace.model.changes import ModelChange


def model(outcome: ModelOutcome | None) -> dict[str, Any] | None:
    """The object under `model`; None if there is nothing to say of a model."""
    if outcome is None:
        return None
    return {
        "mode": outcome.mode,
        "calls": outcome.calls,
        "matched": dict(outcome.matched),
        "unmatched": outcome.unmatched,
        "changes": [_change(change) for change in outcome.changes],
        "other_hosts": {"answered": outcome.answered, "refused": outcome.refused},
    }


def _change(change: ModelChange) -> dict[str, Any]:
    return {
        "code": change.code,
        "call": next(iter(change.expected_calls or change.actual_calls), None),
        "message": change.message,
        "expected_calls": list(change.expected_calls),
        "got_calls": list(change.actual_calls),
    }
