"""Permissions: whether they offer the same options, and still show what then runs."""

from __future__ import annotations

from acp_trace.compare import options, pointers
from acp_trace.compare.agreement import Permissions, misleading
from acp_trace.compare.collector import Collector
from acp_trace.compare.sessions import Matched
from acp_trace.protocol import methods

_LONGEST = 80


def compare(collector: Collector, matched: Matched) -> None:
    """Compares the permissions that belong together."""
    pairs = [pair for _, pair in matched.requests if pair[0].method == methods.PERMISSION]
    if not pairs:
        return
    expected_permissions, actual_permissions = (
        Permissions(story) for story in (collector.expected, collector.actual)
    )
    for expected, actual in pairs:
        options.compare(collector, expected, actual)
        found = misleading(expected_permissions.shown(expected), actual_permissions.shown(actual))
        if found is not None:
            shows, runs = (f'"{pointers.shown(text, _LONGEST)}"' for text in (found.shows, found.runs))
            collector.report(
                "permission-misleads",
                expected.session_id,
                f"a permission shows {shows} ({found.place}) for {runs}",
                expected.frame,
                actual.frame,
                was="shows what runs",
                now=f"shows {shows}, and runs {runs}",
            )
