"""Two traces, read and compared in full: what was done, and what their agents told the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_trace.analyze.facts import Facts
from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare, read
from acp_trace.compare.model_divergences import with_model
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import Comparison
from acp_trace.normalize.masks import Mask
from acp_trace.trace.entries import Entry


def compare_traces(
    expected: Iterable[Entry],
    actual: Iterable[Entry],
    match: Match = "semantic",
    masks: Sequence[Mask] = (),
    *,
    model_strict: bool = False,
) -> tuple[Comparison, tuple[Facts, Facts]]:
    """What two traces differ in, and the facts of both. Raises what reading their entries raises."""
    models = ModelReader(), ModelReader()
    readers = read(expected, match, models[0]), read(actual, match, models[1])
    facts = readers[0].facts(), readers[1].facts()
    comparison = compare(*readers, match, masks)
    return with_model(comparison, models, facts, strict=model_strict), facts
