"""What colours mean on a terminal. Everything reads the same without them.

Red is an error, yellow something open or cut short, green the agent's direction, cyan the client's.
"""

from __future__ import annotations

from acp_trace.report.statements import cancels, status
from acp_trace.report.statements.status import Status

COLOURS = {"client": "cyan", "agent": "green"}
ERROR, OPEN, FAINT, HEADING = "red", "yellow", "bright_black", "bold"
_OF: dict[Status | None, str | None] = {
    Status.FAILED: ERROR,
    Status.OPEN: OPEN,
    Status.FAINT: FAINT,
    None: None,
}


#: Of sessions S1, S2 …; the others begin again. None of them says that something is good or bad.
_SESSIONS = (
    "blue",
    "magenta",
    "bright_cyan",
    "bright_magenta",
    "bright_blue",
    "cyan",
    "bright_green",
    "white",
)

#: In which colour a severity is shown, and an outcome of a cancellation.
SEVERITIES = {severity: _OF[stands] for severity, stands in status.SEVERITIES.items()}
OUTCOMES = {outcome: _OF[stands] for outcome, stands in cancels.OUTCOMES.items()}


def session(colour: int) -> str:
    """The style of a session's name, by the number of its colour; 0: of none, or the only one."""
    return _SESSIONS[colour - 1] if colour else FAINT


def of(stands: Status | None) -> str | None:
    """The style of a status."""
    return _OF[stands]
