"""A replay's plan for people: a line for each step, under it what it waits for and what is rewritten."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Protocol

from rich.text import Text

from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements.replays import ShownVariable
from acp_trace.report.text import styles
from acp_trace.report.text.columns import wrap
from acp_trace.trace.counts import counted

_INDENT = 15
_START = 12  #: columns before the lines about the agent's start
_LEAST = 20  #: columns that a text gets in the narrowest terminal


class PlannedStart(Protocol):
    """The lines about the agent's start."""

    @property
    def argv(self) -> Sequence[str]:
        """Its command line; empty if no agent is named."""

    @property
    def made_absolute(self) -> Sequence[str]:
        """Which of its words were names of files as seen from the current directory."""

    @property
    def starts_in(self) -> str:
        """Where it starts, and why."""

    @property
    def home(self) -> str:
        """Its home directory."""

    @property
    def model(self) -> str:
        """What replaces the agent's language model."""

    @property
    def variables(self) -> Sequence[ShownVariable]:
        """Which variables of its environment are set or not, and why."""


class PlannedStep(Protocol):
    """The line about a step."""

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


def report(name: str, steps: Sequence[PlannedStep], width: int, start: PlannedStart | None = None) -> Text:
    """The plan of one recording."""
    text = Text(no_wrap=True, end="")
    sent = sum(
        planned_step.frame is not None for planned_step in steps
    )  # the end is none that a replay counts
    text.append(safe(name), styles.HEADING).append(f"  {counted(sent, 'step')}\n\n")
    if start is not None:
        text.append_text(_start(start, width))
    for planned_step in steps:
        frame = f"#{planned_step.frame}" if planned_step.frame is not None else ""
        text.append(f" {planned_step.step:>4}  {frame:>6}  ", styles.FAINT).append(
            f"{safe(planned_step.what)}\n"
        )
        for label, rows in (("waits for", planned_step.waits_for), ("bound", planned_step.bound)):
            for at, row in enumerate(rows):
                text.append(f"{'':{_INDENT}}{label if not at else '':<10}", styles.FAINT)
                text.append(f"{shorten(safe(row), max(width - _INDENT - 10, _LEAST))}\n")
    return text


def _start(start: PlannedStart, width: int) -> Text:
    """How the agent is started. Long values continue on the next line: a path that is cut is of no use."""
    text = Text(no_wrap=True, end="")
    rows = [("starts in", start.starts_in), ("home", start.home), ("model", start.model)]
    if start.argv:
        rows.insert(0, ("agent", shlex.join(start.argv)))
    if start.made_absolute:
        rows.insert(1, ("", f"found from the current directory: {', '.join(start.made_absolute)}"))
    for number, ((is_set, why), names) in enumerate(_by_reason(start.variables).items()):
        left_out = "" if is_set else "not set: "
        rows.append(("" if number else "variables", f"{left_out}{', '.join(names)} ({why})"))
    for label, value in rows:
        for at, line in enumerate(wrap(Text(safe(value)), max(width - _START, _LEAST))):
            text.append(f" {'' if at else label:<{_START - 1}}", styles.FAINT).append_text(line).append("\n")
    return text.append("\n")


def _by_reason(variables: Sequence[ShownVariable]) -> dict[tuple[bool, str], list[str]]:
    """The names of those that are set, or not, for one reason."""
    found: dict[tuple[bool, str], list[str]] = {}
    for variable in variables:
        found.setdefault((variable.is_set, variable.why), []).append(variable.name)
    return found
