"""Replays as JUnit XML: a suite for each recording, with the one case that it is."""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.report.ci.diff_junit import suite
from acp_trace.report.ci.junit import document, seconds, suite_names
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.replays import Replayed, tried

_CLASS = "replay"


def junit(replays: Sequence[tuple[Replayed, Sequence[Place]]]) -> bytes:
    """The XML document."""
    names = suite_names([places[0] for _, places in replays])
    suites = []
    for (replayed, _), name in zip(replays, names, strict=True):
        both = replayed.name, replayed.live_id
        made = suite(replayed.found, both, name, _CLASS, fails=replayed.fails, said=tried(replayed))
        if replayed.flaky:
            made.add_property("flaky", "true")
        made.time = seconds(replayed.took_ns)
        suites.append(made)
    return document("acp-trace replay", suites, time_ns=sum(one.took_ns for one, _ in replays))
