"""Replays as JSON: what `acp-trace replay --json` prints, a public interface (docs/replay.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_trace.report.json.diff import document as differences
from acp_trace.report.text.replays import Replayed

VERSION = 1


def document(some: Sequence[Replayed]) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode."""
    return {
        "acp_trace_replay": VERSION,
        "passed": all(one.passed for one in some),
        "replays": [_one(one) for one in some],
    }


def _one(one: Replayed) -> dict[str, Any]:
    found = differences(one.found, (one.name, one.live_id))
    return {
        "trace": one.name,
        "passed": one.passed,
        "died": one.died,
        "live_id": one.live_id,
        "steps": one.steps,
        "sent": one.sent,
        "duration_ns": one.took_ns,
        "budgets": list(one.budgets),
        **{key: value for key, value in found.items() if key != "acp_trace_diff"},
    }
