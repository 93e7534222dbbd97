"""A replay as it is reported: its attempts, its verdict, its outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.compare.result import Comparison
from acp_trace.compare.timings import Timings


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt at a replay. `against`: the alternative recording it was compared with."""

    found: Comparison
    passed: bool
    died: bool
    against: str | None = None

    @property
    def live_id(self) -> str:
        """The trace of the run."""
        return self.found.got.id


class ShownVariable(Protocol):
    """The words for a variable of the agent's environment."""

    @property
    def name(self) -> str:
        """`NAME`, or `NAME#/place` of a document."""

    @property
    def is_set(self) -> bool:
        """Whether it was set; else it was removed, or left out."""

    @property
    def why(self) -> str:
        """In words."""


@dataclass(frozen=True, slots=True)
class ShownFault:
    """A fault on purpose. `fault`: as it was given; `frame`: of the run; `effect`: what the peer did."""

    fault: str
    frame: int | None
    effect: str


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
    timings: tuple[Timings, Timings] | None = None  #: of the recording and of the run
    logs: int = 0  #: lines that the agent wrote to stderr
    last_logs: Sequence[str] = ()  #: the last of them
    updated: bool = False  #: the recording is this run now
    attempts: Sequence[Tried] = ()  #: all of them, if there were several
    flaky: bool = False  #: it failed, and passed when it was tried again
    variables: Sequence[ShownVariable] = ()  #: of the agent's environment, which were set or not, and why
    faults: Sequence[ShownFault] = ()  #: that were made on purpose
    alternative: str | None = None  #: which alternative recording it passed

    @property
    def fails(self) -> bool:
        """Whether something is wrong: what differs was not accepted, or a budget is exceeded."""
        if self.updated:
            return any(divergence.code == OVER_BUDGET for divergence in self.found.failing)
        return not self.passed

    @property
    def live_id(self) -> str:
        """The trace of the live run."""
        return self.found.got.id


def tried(replayed: Replayed) -> list[str]:
    """The outcome of all attempts: whether the replay is flaky, and the first words of the failed ones."""
    lines = []
    if replayed.flaky:
        lines.append(f"flaky: failed, and passed at attempt {len(replayed.attempts)}")
    elif len(replayed.attempts) > 1 and not replayed.passed:
        shown = [attempt.live_id for attempt in replayed.attempts].index(replayed.live_id) + 1
        lines.append(f"all {len(replayed.attempts)} attempts failed; below, attempt {shown}")
    if replayed.alternative is not None:
        lines.append(f"passed as in {replayed.alternative}")
    for number, attempt in enumerate(replayed.attempts, 1):
        if not attempt.passed and attempt.live_id != replayed.live_id:
            against = f" against {attempt.against}" if attempt.against else ""
            lines.append(f"attempt {number}, {attempt.live_id}{against}: {_gist(attempt.found)}")
    return lines


def _gist(found: Comparison) -> str:
    """The heaviest cause in one line, and how many more there are."""
    if found.equal:
        return "nothing was compared"
    first, *others = causes(found.failing)
    more = f" (and {len(others)} more)" if others else ""
    return f"{first.first.code}: {first.first.message}{more}"


def verdict(replayed: Replayed) -> str:
    """`passed`, `updated` or `FAILED`."""
    if replayed.fails:
        return "FAILED"
    return "updated" if replayed.updated else "passed"


def faults(shown: Sequence[ShownFault]) -> list[str]:
    """Each fault on purpose in a line: what it was, the frame that carries it, what the peer did."""
    return [
        f"fault {fault.fault}{'' if fault.frame is None else f' (#{fault.frame})'}: {fault.effect}"
        for fault in shown
    ]
