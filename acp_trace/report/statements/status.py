"""How something stands. Each medium shows it in its own way: a colour, a class of a style sheet, a level."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """How something stands that is not simply as it should be."""

    FAILED = "failed"
    OPEN = "open"  #: not over, cut short, or not quite as it should be
    FAINT = "faint"  #: beside the point


FAILED, OPEN, FAINT = Status

#: How a severity stands.
SEVERITIES: dict[str, Status] = {"error": FAILED, "warning": OPEN, "note": FAINT}
