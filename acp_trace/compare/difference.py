"""The differences of two traces from any source: files, the store, a run that has just ended.

Matching parts are paired first. Then each check yields differences, in any order, and one pass afterwards
drops or marks those that another divergence explains.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from acp_trace.analyze.facts import Facts
from acp_trace.compare import environment, findings, model_places, notices, obedience
from acp_trace.compare.codes import Match, at_level
from acp_trace.compare.exact import Exact
from acp_trace.compare.explained import explained, in_order
from acp_trace.compare.following import linked
from acp_trace.compare.model_divergences import with_model
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.pairing import frames
from acp_trace.compare.pairing.frames import ComparedFrames
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.pairing.sessions import Matching
from acp_trace.compare.requests import cancels, details, outcomes, permissions, unmatched
from acp_trace.compare.result import Comparison, Divergence, FrameCounts
from acp_trace.compare.run_order import RunOrder
from acp_trace.compare.trace_pair import Explains, Found, Result, TracePair
from acp_trace.compare.work import crossed, sections, session_state, written_diffs
from acp_trace.normalize.masks import Mask, Masks
from acp_trace.story.reader import EventReader
from acp_trace.trace.entries import Entry


def compare(
    expected: EventReader,
    actual: EventReader,
    match: Match = "semantic",
    masks: Iterable[Mask] = (),
    model_said: Collection[str] | None = None,
    directories: Sequence[tuple[str, str]] = (),
) -> Comparison:
    """Compare the traces of two readers; both must have read for this level, or a closer one.

    `compare(read(recording), read(run)).equal` shows whether a run did what was recorded. `model_said`: the
    recorded model's answer in both, if it answered. `directories`: other pairs that match, such as homes.
    """
    story, actual_story = expected.story(), actual.story()
    used = Masks(masks)
    traces, pairing = Matching(
        TracePair(story, actual_story, match, used, model_said, others=directories)
    ).match()
    found: list[Result] = [*pairing.compared, *_checked(traces, pairing)]
    found += _at_the_end(traces, _last_actual(traces, found))
    at_this_level = [each for each in _divergences(found) if at_level(each.code, match)]
    divergences = explained(at_this_level, actual_story)
    divergences += crossed.crossings(traces, pairing.sessions, divergences)
    exactly: list[Result] = []
    if match == "exact":
        exactly += Exact(traces, pairing, divergences).compare()
        divergences += _divergences(exactly)
    pairs = frames.pairs(_compared([*found, *exactly]))
    order = RunOrder(pairs)
    causes = [each for each in found if isinstance(each, Explains)]
    placed = linked(in_order(divergences, causes, traces, order), lambda: (story, actual_story), order)
    facts = story.facts, actual_story.facts
    both = facts[0].trace, facts[1].trace
    return Comparison(
        match,
        *both,
        environment.changes(*both),
        obedience.marked(placed, *facts),
        # At `exact`, only frames that are compared whole count.
        _counts(traces, frames.total(_compared(exactly if match == "exact" else found))),
        used.uses(),
        pairs=pairs,
        session_names=_session_names(*facts),
        shared=findings.shared(traces),
    )


def _session_names(expected: Facts, actual: Facts) -> dict[str, str]:
    if max(len(expected.sessions), len(actual.sessions)) < 2:
        return {}
    new = {session.session_id: f"+{session.name}" for session in actual.sessions}
    return new | {session.session_id: session.name for session in expected.sessions}


def _checked(traces: TracePair, pairing: Pairing) -> Found:
    """Yield the results of every check."""
    yield from environment.handshake(traces)
    yield from unmatched.compare(traces, pairing)
    repeats = {} if traces.match == "outcome" else (yield from permissions.compare(traces, pairing))
    settled = yield from cancels.compare(traces, pairing)
    yield from outcomes.compare(traces, pairing, settled)
    yield from session_state.compare(traces, pairing)
    if traces.match != "outcome":
        yield from details.compare(traces, pairing, repeats)
        yield from sections.compare(traces, pairing)
        yield from permissions.tool_calls(traces, pairing)
        yield from written_diffs.compare(traces, pairing)
        yield from notices.notifications(traces, pairing)


def _at_the_end(traces: TracePair, last_actual: int) -> Found:
    """Yield what only counts up to a frame of the actual trace: the expected one may have had the rest."""
    if traces.match != "outcome":
        yield from notices.odd(traces, last_actual)
    yield from notices.strays(traces, last_actual)
    yield from environment.ends(traces)
    yield from findings.compare(traces, last_actual)


def _last_actual(traces: TracePair, found: Iterable[Result]) -> int:
    """Return the last frame of the actual trace up to which the expected one goes."""
    if traces.expected.whole:
        return traces.actual.frames
    return max((each.pair[1] for each in _compared(found) if each.pair is not None), default=0)


def _divergences(found: Iterable[Result]) -> Iterator[Divergence]:
    return (each for each in found if isinstance(each, Divergence))


def _compared(found: Iterable[Result]) -> Iterator[ComparedFrames]:
    return (each for each in found if isinstance(each, ComparedFrames))


def _counts(traces: TracePair, compared: ComparedFrames) -> FrameCounts:
    """Return how much was compared: frames, and values that masks hid."""
    total, unmatched = traces.expected.frames, compared.unmatched
    if traces.match == "exact":  # there, frames are compared one by one
        unmatched = total + traces.actual.frames - 2 * compared.frames
    masked = sum(mask.uses for mask in traces.masks.uses())
    return FrameCounts(total, compared.frames, masked, unmatched)


def read(
    entries: Iterable[Entry], match: Match = "semantic", model: ModelReader | None = None
) -> EventReader:
    """Return a reader that has read these entries, as far as `match` compares. `model` reads them too."""
    reader = EventReader(joins=match != "exact", texts=match != "outcome")
    for entry in entries:
        reader.feed(entry)
        if model is not None:
            model.feed(entry)
    return reader


def compare_traces(
    expected: Iterable[Entry],
    actual: Iterable[Entry],
    match: Match = "semantic",
    masks: Sequence[Mask] = (),
    *,
    model_strict: bool = False,
) -> tuple[Comparison, tuple[Facts, Facts]]:
    """Return the differences of two traces, and both facts. Raises what reading their entries raises."""
    models = ModelReader(), ModelReader()
    readers = read(expected, match, models[0]), read(actual, match, models[1])
    facts = readers[0].facts(), readers[1].facts()
    comparison = compare(*readers, match, masks, directories=model_places.of_variables(models))
    return with_model(comparison, models, facts, strict=model_strict), facts
