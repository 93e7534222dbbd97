"""The calls of the agents' models in two traces, read and compared, for `diff --model`. No I/O."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from acp_trace.analyze.facts import Facts
from acp_trace.compare.model_reader import ModelReader
from acp_trace.trace.entries import Entry

if TYPE_CHECKING:
    from acp_trace.model.comparison import CallComparison


class TracedCalls(NamedTuple):
    """The calls of an agent's model in one trace, and the facts of that trace."""

    model: ModelReader
    facts: Facts


def read_calls(entries: Iterable[Entry]) -> TracedCalls:
    """Read the entries of a trace. Raises what reading them raises."""
    from acp_trace.analyze.analyzer import Analyzer

    analyzer, model = Analyzer(envelopes=0), ModelReader()
    for entry in entries:
        analyzer.feed(entry)
        model.feed(entry)
    return TracedCalls(model, analyzer.facts())


def compare_traced_calls(
    expected: TracedCalls, actual: TracedCalls, number: int | None = None
) -> CallComparison:
    """Compare the calls of two traces; `number`: only the expected call with this number."""
    from acp_trace.compare import model_places
    from acp_trace.model.comparison import compare_calls

    models, facts = (expected.model, actual.model), (expected.facts, actual.facts)
    places = model_places.places(models, facts)
    sessions = model_places.call_sessions(facts[0]), model_places.call_sessions(facts[1])
    return compare_calls(models[0].calls, models[1].calls, places, number, sessions)
