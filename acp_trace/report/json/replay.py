"""Replays as JSON: what `acp-trace replay --json` prints, a public interface (docs/replay.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from acp_trace.compare.timings import Timings
from acp_trace.report.json.diff import document as differences
from acp_trace.report.statements.replays import Replayed

VERSION = 1


def document(replays: Sequence[Replayed]) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode."""
    return {
        "acp_trace_replay": VERSION,
        "passed": all(replayed.passed for replayed in replays),
        "replays": [_one(replayed) for replayed in replays],
    }


def _one(replayed: Replayed) -> dict[str, Any]:
    comparison = differences(replayed.found, (replayed.name, replayed.live_id))
    return {
        "trace": replayed.name,
        "passed": replayed.passed,
        "died": replayed.died,
        "updated": replayed.updated,
        "flaky": replayed.flaky,
        "alternative": replayed.alternative,
        "attempts": [
            {
                "live_id": attempt.live_id,
                "against": attempt.against,
                "passed": attempt.passed,
                "died": attempt.died,
                "codes": sorted({divergence.code for divergence in attempt.found.failing}),
            }
            for attempt in replayed.attempts
        ],
        "live_id": replayed.live_id,
        "steps": replayed.steps,
        "sent": replayed.sent,
        "duration_ns": replayed.took_ns,
        "budgets": list(replayed.budgets),
        "timings": None if replayed.timings is None else _timings(*replayed.timings),
        "variables": [
            {"name": variable.name, "is_set": variable.is_set, "why": variable.why}
            for variable in replayed.variables
        ],
        "faults": [
            {"fault": fault.fault, "frame": fault.frame, "effect": fault.effect} for fault in replayed.faults
        ],
        "stderr": {"lines": replayed.logs, "last": list(replayed.last_logs)},
        **{key: value for key, value in comparison.items() if key != "acp_trace_diff"},
    }


def _timings(recorded: Timings, run: Timings) -> dict[str, Any]:
    return {"recorded": asdict(recorded), "run": asdict(run)}
