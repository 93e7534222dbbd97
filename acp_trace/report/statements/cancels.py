"""What became of a cancel, in words and as a status."""

from __future__ import annotations

from acp_trace.report.statements.status import FAILED, FAINT, OPEN, Status

#: How an outcome stands; None: as it should.
OUTCOMES: dict[str, Status | None] = {
    "cancelled": None,
    "completed": OPEN,
    "error": FAILED,
    "unanswered": FAILED,
    "no_target": FAINT,
}


def outcome(of: str) -> str:
    """The outcome of a cancellation as people say it."""
    return {"no_target": "nothing to cancel", "completed": "ran to its end"}.get(of, of)
