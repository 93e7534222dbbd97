"""Replays for people: the verdict of each first, then, of one that failed, what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from acp_trace.compare.result import Comparison
from acp_trace.report import units
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.text import differences, words


@dataclass(frozen=True, slots=True)
class Replayed:
    """One replay as it is reported. `name`: what the recording was asked for by."""

    name: str
    found: Comparison
    passed: bool
    died: bool
    steps: int
    sent: int
    took_ns: int
    budgets: Sequence[str] = ()  #: in words, those that hold
    hints: Sequence[str] = ()  #: what to do next
    log: str | None = None  #: the agent's last line on stderr

    @property
    def live_id(self) -> str:
        """The trace of the live run."""
        return self.found.got.id


def report(one: Replayed, places: Sequence[Place], width: int, *, all_: bool) -> Text:
    """One replay: a line where it passed, else all that differs."""
    text = Text(no_wrap=True, end="")
    style = words.HEADING if one.passed else f"{words.HEADING} {words.ERROR}"
    text.append(f"{verdict(one)}  ", style).append(safe(one.name), words.HEADING)
    text.append(f"  {_steps(one)}\n", words.FAINT)
    if one.passed:
        text.append(f" {differences.counts(one.found.counts)}\n", words.FAINT)
        for budget in one.budgets:
            text.append(f" {safe(budget)}\n", words.FAINT)
        for note in one.found.notes:
            text.append(f" {note.code}: {safe(note.message)}\n", words.FAINT)
    else:
        body = differences.report(one.found, (one.name, one.live_id), places, width, all_=all_)
        text.append("\n").append_text(body)
        if one.died and one.log:
            text.append(f"\n the agent's last output: {safe(one.log)}\n")
    if one.hints:
        text.append("\n" if not one.passed else "")
    for hint in one.hints:
        text.append(f" {safe(hint)}\n", words.FAINT)
    return text


def verdict(one: Replayed) -> str:
    """`passed`, or `FAILED`."""
    return "passed" if one.passed else "FAILED"


def total(some: Sequence[Replayed]) -> str:
    """All of them in one line: `2 passed, 1 failed`."""
    passed = sum(one.passed for one in some)
    parts = [f"{passed} passed"] * bool(passed) + [f"{len(some) - passed} failed"] * (passed < len(some))
    return ", ".join(parts)


def _steps(one: Replayed) -> str:
    return f"{one.sent} of {words.count(one.steps, 'step')} in {units.duration(one.took_ns)}"
