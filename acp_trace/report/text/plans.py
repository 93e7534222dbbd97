"""A replay's plan for people: a line for each step, under it what it waits for and what is rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.text import Text

from acp_trace.report.safe import safe, shorten
from acp_trace.report.text import words

_INDENT = 15


class PlannedStep(Protocol):
    """What is told of a step."""

    @property
    def step(self) -> int:
        """Its number, from 1."""

    @property
    def frame(self) -> int | None:
        """Its place in the recording; None for the end."""

    @property
    def what(self) -> str:
        """The method, or what it answers."""

    @property
    def waits_for(self) -> Sequence[str]:
        """What must have come."""

    @property
    def bound(self) -> Sequence[str]:
        """What is rewritten."""


def report(name: str, steps: Sequence[PlannedStep], width: int) -> Text:
    """The plan of one recording."""
    text = Text(no_wrap=True, end="")
    sent = sum(
        planned_step.frame is not None for planned_step in steps
    )  # the end is none that a replay counts
    text.append(safe(name), words.HEADING).append(f"  {words.count(sent, 'step')}\n\n")
    for planned_step in steps:
        frame = f"#{planned_step.frame}" if planned_step.frame is not None else ""
        text.append(f" {planned_step.step:>4}  {frame:>6}  ", words.FAINT).append(
            f"{safe(planned_step.what)}\n"
        )
        for label, rows in (("waits for", planned_step.waits_for), ("bound", planned_step.bound)):
            for at, row in enumerate(rows):
                text.append(f"{'':{_INDENT}}{label if not at else '':<10}", words.FAINT)
                text.append(f"{shorten(safe(row), max(width - _INDENT - 10, 20))}\n")
    return text
