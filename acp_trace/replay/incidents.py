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
    _row("agent-gone", "The agent ended, or closed its output, before the end of the recording."),
    _row("timeout", "Nothing happened for too long. The message says what the player waited for."),
    _row("flood", "Far more arrived than was recorded, without end."),
    _row("stays", "The agent ended by itself in the recording; in the run it had to be ended."),
    _row(
        "request-unmatched",
        "A request has no answer in the recording. Names the nearest one, and why it does not match.",
    ),
    _row("answer-unused", "A recorded answer was not used, because its request did not come."),
    _row("step-skipped", "A step, such as a cancel, no longer made sense: its turn was over."),
    _row("step-late", "A step of a turn had to be sent after the turn, because the turn was over too early."),
    _row("over-budget", "A budget is exceeded, or had no sample."),
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
