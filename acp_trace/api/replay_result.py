"""What a replay gives back, to Python and to a test. Light: the pytest plugin imports it in every run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_trace.compare.result import Comparison, Divergence, FrameCounts


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay that is over. `steps` is how many there were, `sent` how many went out.

    In a notebook it shows its verdict and the divergences by their causes.
    """

    passed: bool  #: nothing differs, something was compared, and every mask had something to hide
    died: bool  #: the agent could not be started, or was not there to the end
    trace_id: str  #: the trace of the run, in the store
    steps: int
    sent: int
    comparison: Comparison = field(repr=False)
    report: str = field(repr=False)  #: as `acp-trace replay` prints it
    flaky: bool = False  #: it failed, and passed when it was tried again
    name: str = ""  #: what the recording is called

    @property
    def counts(self) -> FrameCounts:
        """How much was compared: frames recorded, compared, unmatched, and values that masks hid."""
        return self.comparison.counts

    @property
    def divergences(self) -> list[Divergence]:
        """Every difference and every note, in the order of time."""
        return self.comparison.divergences

    @property
    def failure(self) -> str:
        """The report with its gist before it, because pytest's summary shows the first line alone."""
        from acp_trace.compare.causes import causes
        from acp_trace.report.safe import safe

        comparison = self.comparison
        if comparison.failing:
            first = causes(comparison.failing)[0].first
            more = f" (and {len(comparison.failing) - 1} more)" if len(comparison.failing) > 1 else ""
            gist = f"{first.code}: {first.message}{more}"
        elif comparison.idle:
            gist = f"nothing to hide for mask {comparison.idle[0].mask} at this level"
        else:
            gist = "nothing could be compared"
        return f"{safe(gist)}\n\n{self.report}"

    def __str__(self) -> str:
        return self.report

    def _repr_html_(self) -> str:
        from acp_trace.report.notebook.comparisons import replay

        verdict = "passed" if self.passed else "FAILED"
        notes = [f"{self.sent} of {self.steps} steps", f"run {self.trace_id}"]
        notes += ["flaky: failed, and passed when it was tried again"] if self.flaky else []
        notes += ["the agent ended too early"] if self.died else []
        return replay(self.comparison, self.name, verdict, notes, passed=self.passed)
