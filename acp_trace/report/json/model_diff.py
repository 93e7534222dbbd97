"""`model diff --json`: the differences between two agents' requests to their models."""

from __future__ import annotations

from typing import Any

import msgspec

from acp_trace.model.changes import ModelChange
from acp_trace.model.comparison import CallComparison


def document(found: CallComparison, names: tuple[str, str]) -> dict[str, Any]:
    """All changes, and which call was compared with which; null where a trace has none."""
    return {
        "equal": not found.changes,
        "expected": names[0],
        "actual": names[1],
        "pairs": [
            {
                "expected": pair.recorded and pair.recorded.call,
                "actual": pair.actual and pair.actual.call,
                "level": pair.level,
            }
            for pair in found.pairs
        ],
        "changes": [_change(change) for change in found.changes],
        "others": [_change(change) for change in found.others],
    }


def _change(change: ModelChange) -> dict[str, Any]:
    return {
        "code": change.code,
        "message": change.message,
        "expected_calls": list(change.expected_calls),
        "actual_calls": list(change.actual_calls),
        "diff": msgspec.to_builtins(change.diff),
    }
