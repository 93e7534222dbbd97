"""How a turn ended, in words and as a status."""

from __future__ import annotations

from acp_trace.analyze import facts
from acp_trace.report.safe import safe
from acp_trace.report.statements.status import FAILED, OPEN, Status


def ended(turn: facts.Turn) -> tuple[str, Status | None]:
    """How a turn ended, in words and as a status."""
    if turn.settled_frame is None:
        return "open", OPEN
    if turn.error_code is not None:
        return f"error {turn.error_code}", FAILED
    if turn.stop_reason is None:
        return "no stop reason", OPEN
    return safe(turn.stop_reason), None if turn.stop_reason == "end_turn" else OPEN
