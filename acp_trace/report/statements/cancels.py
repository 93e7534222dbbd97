"""The outcome of a cancel, in words and as a status."""

from __future__ import annotations

from acp_trace.analyze import facts
from acp_trace.protocol import methods
from acp_trace.report.safe import safe
from acp_trace.report.statements.status import FAILED, FAINT, OPEN, Status

#: The status of an outcome; None: as it should be.
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


def who_cancelled(cancel: facts.Cancellation) -> str:
    """`session/cancel by the client`, `$/cancel_request of session/prompt #5 by the agent: unanswered`."""
    target = f" of {safe(cancel.target_method or 'a request')} #{cancel.target_frame}"
    names_it = cancel.kind in methods.CANCEL_REQUESTS and cancel.target_frame is not None
    became = "" if cancel.outcome == "cancelled" else f": {outcome(cancel.outcome)}"
    return f"{safe(cancel.kind)}{target if names_it else ''} by the {cancel.sender}{became}"
