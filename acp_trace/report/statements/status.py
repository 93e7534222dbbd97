"""The status of something. Each medium shows it in its own way: a colour, a CSS class, a level."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """The status of something that is not simply as it should be."""

    FAILED = "failed"
    OPEN = "open"  #: not over, cut short, or not quite as it should be
    FAINT = "faint"  #: beside the point


FAILED, OPEN, FAINT = Status

#: The status of a severity.
SEVERITIES: dict[str, Status] = {"error": FAILED, "warning": OPEN, "note": FAINT}
