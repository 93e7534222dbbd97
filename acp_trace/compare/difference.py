"""What two traces differ in. Both may come from anywhere: files, the store, a run that has just ended."""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.compare import environment, ledgers, notices, work
from acp_trace.compare import outcomes as ends
from acp_trace.compare.codes import Match
from acp_trace.compare.collector import Collector
from acp_trace.compare.exact import Exact
from acp_trace.compare.masks import Mask, Masks
from acp_trace.compare.reading import EventReader
from acp_trace.compare.result import Comparison
from acp_trace.compare.sessions import Matching
from acp_trace.compare.tolerance import Tolerances
from acp_trace.trace.entries import Entry


def compare(
    expected: EventReader, got: EventReader, match: Match = "semantic", masks: Iterable[Mask] = ()
) -> Comparison:
    """Compares what two readers have read; for `exact` both must have kept the texts."""
    a, b = expected.story(), got.story()
    used = Masks(masks)
    found = Collector(a, b, match, used)
    exact = match == "exact"
    tolerances = Tolerances(a, b)
    environment.handshake(found)
    matched = Matching(found, tolerances).match()
    ends.judge(found, matched)
    ledgers.compare(found, matched.sessions)
    if match != "outcome":
        work.compare(found, matched, tolerances)
        notices.notifications(found, matched.sessions)
        notices.odd(found)
    environment.ends(found)
    if exact:
        found.count_frames()
        Exact(found, matched).compare()
    return Comparison(
        match,
        a.facts.trace,
        b.facts.trace,
        environment.changes(a.facts.trace, b.facts.trace),
        found.divergences(),
        found.counts(),
        used.uses(),
    )


def read(entries: Iterable[Entry], match: Match = "semantic") -> EventReader:
    """A reader that has read these."""
    reader = EventReader(whole=match == "exact")
    for entry in entries:
        reader.feed(entry)
    return reader
