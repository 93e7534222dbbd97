"""What the player itself notices while it plays: a table of stable codes, as the comparison has one.

Shapes only. What two traces differ in has its codes in `compare.codes`; docs/replay.md shows both.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.compare.codes import DivergenceCode, Severity
from acp_trace.trace.entries import Sender


def _row(code: str, meaning: str, severity: Severity = "error") -> DivergenceCode:
    return DivergenceCode(code, severity, "outcome", "the run", meaning)


_ALL = (
    _row("cannot-start", "The agent cannot be started."),
    _row("agent-gone", "The agent ended, or closed its output, before the recording was over."),
    _row("timeout", "Nothing went on for too long. Says what was waited for."),
    _row("flood", "Far more came than was recorded, without end."),
    _row("stays", "The agent ended by itself when it was recorded, and had to be ended now."),
    _row("request-unmatched", "A request without an answer in the recording. Says the nearest, and why not."),
    _row("answer-unused", "An answer that was made necessary by a request which did not come."),
    _row("step-skipped", "A step, such as a cancel, that made no sense any more: its turn was over."),
    _row("step-late", "A step of a turn that had to be sent after it: the turn was over too early."),
    _row("over-budget", "A budget that is not kept, or had no sample."),
)

#: What is wrong with its numbers, not with what it did.
OVER_BUDGET = "over-budget"
RUN_CODES = {row.code: row for row in _ALL}

#: A frame of the live run: who sent it, and the how many-th of that side it is, from 1. The trace's own
#: numbers are known only afterwards.
Place = tuple[Sender, int]


@dataclass(frozen=True, slots=True)
class Incident:
    """One thing that was noticed. `expected`: a frame of the recording."""

    code: str
    message: str
    session: str | None = None  #: as the recording calls it
    expected: int | None = None
    got: Place | None = None
    was: str | None = None
    now: str | None = None
    reason: str | None = None  #: why nothing in the recording matches; the message has it, too
