"""The document of `drive --json`."""

from __future__ import annotations

from typing import Any

from acp_trace.report.statements.driven import Driven, DrivenPart

VERSION = 1


def as_json(driven: Driven) -> dict[str, Any]:
    """The document; docs/drive.md lists its keys."""
    return {
        "acp_trace_drive": VERSION,
        "ok": driven.why is None,
        "why": driven.why,
        "trace": driven.trace_id,
        "file": driven.file,
        "agent": driven.agent,
        "frames": driven.frames,
        "steps": [_tried("step", step) for step in driven.steps],
        "stop_reasons": list(driven.stops),
        "announced": [_tried("feature", feature) for feature in driven.features],
        "notes": list(driven.notes),
        "faults": [
            {"fault": each.fault, "frame": each.frame, "effect": each.effect} for each in driven.faults
        ],
    }


def _tried(key: str, tried: DrivenPart) -> dict[str, Any]:
    return {key: tried.name, "status": tried.status, "why": tried.why or None}
