"""The cells of `matrix`: a verdict for each recording and build, and which of them are new. Pure.

A cell has a key: the recording, the settings, the build and how often it is run. One that was made before is
taken as it is, if its build always means the same; a build that is only a command is tried again once its
matrix was finished. A build that was not installed is always tried again, one that did not start in the next
matrix: what was missing may be there.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import msgspec

from acp_trace.builds.judged import JudgedRun, ShownDifference

Verdict = Literal[
    "passed", "flaky", "failed", "died", "nothing", "not-recorded", "not-started", "not-installed"
]
#: For a person, in a cell.
WORDS: dict[Verdict, str] = {
    "passed": "passed",
    "flaky": "flaky",
    "failed": "FAILED",
    "died": "DIED",
    "nothing": "nothing compared",
    "not-recorded": "other model requests",
    "not-started": "does not start",
    "not-installed": "not installed",
}
_DIED: tuple[Verdict, ...] = ("died", "not-started", "not-installed")
_DIFFERS: tuple[Verdict, ...] = ("failed", "flaky", "not-recorded")


class GridCell(msgspec.Struct, frozen=True):
    """One recording against one build. `passed` of `runs`; times of all of them together are medians."""

    trace: str
    build: str
    verdict: Verdict
    runs: int = 0
    passed: int = 0
    first: ShownDifference | None = None
    why: str = ""
    took_ns: int | None = None
    turn_ns: int | None = None
    tokens: int | None = None
    run_traces: tuple[str, ...] = ()

    @property
    def outcome(self) -> tuple[str, str]:
        """What another run of the same is held against: the verdict, and the first code."""
        return self.verdict, "" if self.first is None else self.first.code


class MatrixProgress(msgspec.Struct):
    """What is kept between two runs. `cells` by their keys, `done` those of the run that goes on.

    `before`: the outcomes of the last whole run, by recording and build; None if there was none.
    """

    cells: dict[str, GridCell] = {}
    done: set[str] = set()
    is_whole: bool = True
    before: dict[str, tuple[str, str]] | None = None
    version: int = 1


@dataclass(frozen=True, slots=True)
class Grid:
    """All cells, by rows and columns. A cell that was not tried is not there."""

    traces: Sequence[str]
    builds: Sequence[str]
    cells: dict[tuple[str, str], GridCell]
    before: dict[str, tuple[str, str]] | None = None

    def mark(self, cell: GridCell) -> Literal["new", "changed"] | None:
        """How a cell differs from the last whole run; None if it does not, or if there was none."""
        if self.before is None:
            return None
        was = self.before.get(place(cell.trace, cell.build))
        if was is None:
            return "new"
        return "changed" if tuple(was) != cell.outcome else None

    @property
    def listed(self) -> list[GridCell]:
        """All cells, row by row."""
        return [cell for trace in self.traces for cell in self.of_trace(trace)]

    @property
    def missing(self) -> int:
        """How many were not tried."""
        return len(self.traces) * len(self.builds) - len(self.cells)

    def change(self, trace: str) -> tuple[GridCell, GridCell] | None:
        """The first two neighbouring builds that ran a recording and have different outcomes; or None."""
        ran = [cell for cell in self.of_trace(trace) if cell.run_traces]
        return next((pair for pair in pairwise(ran) if pair[0].outcome != pair[1].outcome), None)

    def of_trace(self, trace: str) -> list[GridCell]:
        """The cells of a recording, in the order of the builds."""
        return [self.cells[trace, build] for build in self.builds if (trace, build) in self.cells]

    def of_build(self, build: str) -> list[GridCell]:
        """The cells of a build, in the order of the recordings."""
        return [cell for cell in self.listed if cell.build == build]

    @property
    def counts(self) -> Counter[Verdict]:
        """How many cells have each verdict."""
        return Counter(cell.verdict for cell in self.listed)

    @property
    def exit_code(self) -> int:
        """As of `replay`: 5 if a build was not there to the end, 1 if something differs, 4 for nothing."""
        found = self.counts
        if any(found[verdict] for verdict in _DIED):
            return 5
        if any(found[verdict] for verdict in _DIFFERS):
            return 1
        return 4 if found["nothing"] or not found else 0


def place(trace: str, build: str) -> str:
    """The key of a recording and a build in what is kept."""
    return f"{trace}\t{build}"


def cell(trace: str, build: str, runs: Sequence[JudgedRun]) -> GridCell:
    """The cell of runs that are over; at least one."""
    passed = sum(run.became == "passed" for run in runs)
    worst = next((run for run in runs if run.became != "passed"), runs[0])
    verdict: Verdict = worst.became
    if 0 < passed < len(runs):
        verdict = "flaky"
    return GridCell(
        trace,
        build,
        verdict,
        len(runs),
        passed,
        worst.first,
        worst.why,
        _median(run.took_ns for run in runs),
        _median(run.turn_ns for run in runs),
        _median(run.tokens for run in runs),
        tuple(run.trace for run in runs),
    )


def not_installed(trace: str, build: str, why: str) -> GridCell:
    """The cell of a build that is not there."""
    return GridCell(trace, build, "not-installed", why=why)


def begun(kept: MatrixProgress | None, *, again: bool) -> MatrixProgress:
    """The cells that are known when a matrix begins: it continues, or is compared with the last whole one.

    `again`: no cell is taken as it is.
    """
    if kept is None or kept.version != MatrixProgress().version:
        return MatrixProgress(is_whole=False)
    if kept.is_whole:
        before = {place(cell.trace, cell.build): cell.outcome for cell in kept.cells.values()}
        kept = MatrixProgress(kept.cells, set(), False, before)
    return MatrixProgress({}, set(), False, kept.before) if again else kept


def is_known(progress: MatrixProgress, key: str, *, is_fixed: bool) -> bool:
    """Whether a cell is taken as it is. `is_fixed`: its build always means the same."""
    found = progress.cells.get(key)
    if found is None or found.verdict == "not-installed":
        return False
    return key in progress.done or (is_fixed and found.verdict != "not-started")


def median_of(cells: Iterable[GridCell], field: Literal["turn_ns", "tokens", "took_ns"]) -> int | None:
    """The median of a build's cells; None if none has a value."""
    return _median(getattr(cell, field) for cell in cells)


def _median(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return int(statistics.median(known)) if known else None
