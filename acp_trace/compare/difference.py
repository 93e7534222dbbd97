"""What two traces differ in. Both may come from anywhere: files, the store, a run that has just ended."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from acp_trace.compare import environment, findings, notices, obedience
from acp_trace.compare.codes import Match
from acp_trace.compare.collector import Collector
from acp_trace.compare.exact import Exact
from acp_trace.compare.following import linked
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.pairing.sessions import Matching
from acp_trace.compare.pairing.tolerance import Tolerances
from acp_trace.compare.requests import details, outcomes, permissions
from acp_trace.compare.result import Comparison
from acp_trace.compare.run_order import RunOrder
from acp_trace.compare.story.chunk_joiner import EventReader
from acp_trace.compare.work import crossed, sections, session_state, written_diffs
from acp_trace.normalize.masks import Mask, Masks
from acp_trace.trace.entries import Entry


def compare(
    expected: EventReader,
    actual: EventReader,
    match: Match = "semantic",
    masks: Iterable[Mask] = (),
    model_said: Collection[str] | None = None,
) -> Comparison:
    """Compares what two readers have read; both must have read for this level, or a closer one.

    `compare(read(recording), read(run)).equal` says whether a run did what was recorded. `model_said`: what
    the recorded model answered in both, if it did.
    """
    story, actual_story = expected.story(), actual.story()
    used = Masks(masks)
    collector = Collector(story, actual_story, match, used, model_said)
    environment.handshake(collector)
    pairing = Matching(collector, Tolerances(story, actual_story)).match()
    repeats = {} if match == "outcome" else permissions.compare(collector, pairing)
    outcomes.compare(collector, pairing)
    session_state.compare(collector, pairing)
    if match != "outcome":
        details.compare(collector, pairing, repeats)
        sections.compare(collector, pairing)
        crossed.compare(collector, pairing.sessions)
        permissions.tool_calls(collector, pairing)
        written_diffs.compare(collector, pairing)
        notices.notifications(collector, pairing)
        notices.odd(collector)
    notices.strays(collector)
    environment.ends(collector)
    findings.compare(collector)
    if match == "exact":
        collector.count_frames()
        Exact(collector, pairing).compare()
    traces = story.facts.trace, actual_story.facts.trace
    pairs = collector.pairs
    order = RunOrder(pairs)
    found = linked(collector.divergences(order), lambda: (story, actual_story), order)
    return Comparison(
        match,
        *traces,
        environment.changes(*traces),
        obedience.marked(found, story.facts, actual_story.facts),
        collector.counts(),
        used.uses(),
        pairs=pairs,
    )


def read(
    entries: Iterable[Entry], match: Match = "semantic", model: ModelReader | None = None
) -> EventReader:
    """A reader that has read these entries, as `compare` takes it. `model` reads them, too."""
    reader = EventReader(match)
    for entry in entries:
        reader.feed(entry)
        if model is not None:
            model.feed(entry)
    return reader
