"""Permissions: whether they offer the same options, and still show what then runs."""

from __future__ import annotations

from acp_trace.compare.collector import Collector
from acp_trace.compare.pairing.sessions import Matched
from acp_trace.compare.requests import options
from acp_trace.compare.requests.agreement import Permissions, misleading, repeated
from acp_trace.compare.story.model import Request
from acp_trace.compare.values import pointers
from acp_trace.protocol import methods
from acp_trace.trace.jsontext import objects

_LONGEST = 80


def compare(collector: Collector, matched: Matched) -> dict[int, set[str]]:
    """Compares the permissions that belong together.

    Returns the details that only repeat their tool calls on both sides, by frame of the actual trace.
    """
    pairs = [pair for _, pair in matched.requests if pair[0].method == methods.PERMISSION]
    if not pairs:
        return {}
    repeats: dict[int, set[str]] = {}
    expected_permissions, actual_permissions = (
        Permissions(story) for story in (collector.expected, collector.actual)
    )
    for expected, actual in pairs:
        options.compare(collector, expected, actual)
        was, now = expected_permissions.shown(expected), actual_permissions.shown(actual)
        repeats[actual.frame] = repeated(was) & repeated(now)
        found = misleading(was, now)
        if found is not None:
            shows, runs = (f'"{pointers.shown(text, _LONGEST)}"' for text in (found.shows, found.runs))
            before = "runs" if _is_allowed(expected) else "it is about"
            after = "runs" if _is_allowed(actual) else "is about"
            collector.report(
                "permission-misleads",
                expected.session_id,
                f"a permission shows {shows} ({found.place}) for {runs}",
                expected.frame,
                actual.frame,
                was=f"shows what {before}",
                now=f"shows {shows}, and {after} {runs}",
            )
    return repeats


def _is_allowed(permission: Request) -> bool:
    """Whether something could run: an option was selected, and it does not reject."""
    if pointers.at(permission.result, ("outcome", "outcome")) != "selected":
        return False
    selected = pointers.at(permission.result, ("outcome", "optionId"))
    offered = objects(permission.params.get("options"))
    kinds = [str(option.get("kind")) for option in offered if option.get("optionId") == selected]
    return not any(kind.startswith("reject") for kind in kinds)
