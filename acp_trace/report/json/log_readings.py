"""What each reader makes of a log: `import --explain --json`."""

from __future__ import annotations

from typing import Any

from acp_trace.formats.reading.groups import ExplainedLog, Reading


def as_json(log: ExplainedLog) -> dict[str, Any]:
    """A log with its readings; `format`: the one that is taken, or null, and then `why` says why."""
    return {
        "files": log.files,
        "format": log.best and log.best.format,
        "why": log.why_none or None,
        "protocol": log.best and log.best.sense.protocol,
        "doubts": log.best and log.best.sense.doubts(),
        "marks": _marks(log.best) if log.best else {},
        "readings": [_reading(one) for one in log.readings],
    }


def _marks(best: Reading) -> dict[str, str]:
    return {mark: side for trace in best.traces for mark, side in trace.log.marks}


def _reading(one: Reading) -> dict[str, Any]:
    made = one.sense
    return {
        "format": one.format,
        "traces": len(one.traces),
        "messages": made.messages,
        "unused": made.unused,
        "requests": made.requests,
        "unanswered": made.unanswered,
        "responses": made.responses,
        "unasked": made.unasked,
        "repeated": made.repeated,
        "score": made.score,
        "why_not": one.why_not or None,
    }
