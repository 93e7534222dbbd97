"""Replays as JUnit XML: a suite for each, in it a case for each code that was looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acp_trace.compare.codes import DivergenceCode
from acp_trace.report.ci.diff_junit import suite
from acp_trace.report.ci.junit import document, seconds, suite_names
from acp_trace.report.ci.places import Place
from acp_trace.report.text.replays import Replayed


def junit(replays: Sequence[tuple[Replayed, Sequence[Place]]], codes: Mapping[str, DivergenceCode]) -> bytes:
    """The XML document. `codes`: those that a replay has beside the comparison's."""
    names = suite_names([places[0] for _, places in replays])
    suites = []
    for (replayed, _), name in zip(replays, names, strict=True):
        made = suite(replayed.found, (replayed.name, replayed.live_id), name, codes)
        made.time = seconds(replayed.took_ns)
        suites.append(made)
    return document("acp-trace replay", suites, time_ns=sum(one.took_ns for one, _ in replays))
