"""`diff_traces`: two traces, compared as `acp-trace diff` compares them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import PathLike, fspath

from acp_trace.api.homes import HomePath
from acp_trace.api.opened import open_trace
from acp_trace.compare.codes import MATCHES, Match
from acp_trace.compare.difference import compare_traces
from acp_trace.compare.result import Comparison, Divergence, FrameCounts
from acp_trace.normalize.masks import parse


@dataclass(frozen=True, slots=True)
class TraceDiff:
    """What two traces differ in. In a notebook it shows the divergences by their causes.

    `comparison` has all of it: environment, pairs of frames, masks, the model's side.
    """

    expected: str  #: what the first trace is called: its id or its file
    actual: str
    comparison: Comparison = field(repr=False)

    @property
    def equal(self) -> bool:
        """Whether nothing differs and something was compared."""
        return self.comparison.equal and bool(self.counts.compared)

    @property
    def divergences(self) -> list[Divergence]:
        """Every difference and every note, in the order of time."""
        return self.comparison.divergences

    @property
    def counts(self) -> FrameCounts:
        """How much was compared: frames recorded, compared, unmatched, and values that masks hid."""
        return self.comparison.counts

    def __str__(self) -> str:
        from acp_trace.report.ci.places import Place
        from acp_trace.report.text import differences

        names = self.expected, self.actual
        places = [Place(name) for name in names]
        return differences.report(self.comparison, names, places, 100, all_=False, cut=False).plain

    def _repr_html_(self) -> str:
        from acp_trace.report.notebook.comparisons import comparison

        return comparison(self.comparison, self.expected, self.actual)


def diff_traces(
    expected: str | PathLike[str] = "last~1",
    actual: str | PathLike[str] = "last",
    *,
    match: Match = "semantic",
    masks: Sequence[str] = (),
    model_strict: bool = False,
    home: HomePath = None,
) -> TraceDiff:
    """Compares two traces, each named as in `open_trace`.

    `match`: outcome, semantic, content or exact. `masks`: `POINTER[:TYPE]`, values that are not compared.
    `model_strict`: what the agents tell their model is a difference, not a note. All are explained in
    docs/diff.md. Raises ValueError for a level or a mask that means nothing, and like `open_trace` and
    `OpenTrace.analyze`.
    """
    if match not in MATCHES:
        raise ValueError(f"match: {match!r} is not one of {', '.join(MATCHES)}")
    hidden = [parse(mask) for mask in masks]
    with ExitStack() as stack:
        traces = [stack.enter_context(open_trace(fspath(trace), home)) for trace in (expected, actual)]
        expected_entries, actual_entries = (trace.entries() for trace in traces)
        comparison, _ = compare_traces(
            expected_entries, actual_entries, match, hidden, model_strict=model_strict
        )
        return TraceDiff(traces[0].name, traces[1].name, comparison)
