"""What colours mean on a terminal."""

from __future__ import annotations

from acp_trace.report.statements.status import Status
from acp_trace.report.text import styles


def test_what_a_colour_means() -> None:
    """Red is an error, yellow a warning or something open, grey what is beside the point."""
    assert styles.SEVERITIES == {"error": "red", "warning": "yellow", "note": "bright_black"}
    assert {status: styles.of(status) for status in (None, *Status)} == {
        None: None,
        Status.FAILED: "red",
        Status.OPEN: "yellow",
        Status.FAINT: "bright_black",
    }
    assert styles.OUTCOMES == {
        "cancelled": None,
        "completed": "yellow",
        "error": "red",
        "unanswered": "red",
        "no_target": "bright_black",
    }
