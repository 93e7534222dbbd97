"""Permissions: whether they offer the same options, are for the same tool call, and show what then runs."""

from __future__ import annotations

from collections.abc import Generator

from acp_trace.compare.codes import at_level
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.requests import options
from acp_trace.compare.requests.agreement import (
    Does,
    Misleading,
    Permissions,
    Shown,
    in_words,
    misleading,
    repeated,
)
from acp_trace.compare.requests.shown_files import ShownFiles
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import Explains, TracePair
from acp_trace.normalize import pointers
from acp_trace.protocol import methods
from acp_trace.story.model import Request
from acp_trace.trace.jsontext import objects

#: The words for the fate of a value, and for that of another value.
_DONE: dict[Does, tuple[str, str]] = {
    "runs": ("runs", "runs"),
    "writes": ("is written", "writes"),
    "reads": ("is read", "reads"),
    "changes": ("is changed", "changes"),
    "names": ("its tool call names", "its tool call names"),
}


def compare(
    traces: TracePair, pairing: Pairing
) -> Generator[Divergence | Explains, None, dict[int, set[str]]]:
    """Compare matching permissions.

    Returns the details that only repeat their tool calls on both sides, by frame of the actual trace.
    """
    pairs = [pair for _, pair in pairing.requests if pair[0].method == methods.PERMISSION]
    if not pairs:
        return {}
    repeats: dict[int, set[str]] = {}
    sides = []
    for story in (traces.expected, traces.actual):
        permissions = Permissions(story)
        sides.append((permissions, ShownFiles(story, permissions)))
    for expected, actual in pairs:
        yield from options.compare(traces, expected, actual)
        was = _places(*sides[0], expected)
        if not any(held.agrees for shown in was.values() for held in shown.held.values()):
            continue  # they never agreed: then nothing in the actual one is misleading, or repeated
        now = _places(*sides[1], actual)
        repeats[actual.frame] = repeated(was) & repeated(now)
        if found := [*misleading(was, now)]:
            yield _misleads(traces, expected, actual, found[0])
            frames = frozenset(frame for each in found for frame in each.frames)
            yield Explains(frames - {actual.frame}, actual.frame)
    return repeats


def tool_calls(traces: TracePair, pairing: Pairing) -> Divergences:
    """Compare the tool calls of permissions, once the matching tool calls are known.

    Another kind is reported with the request. Tool calls with the same title may come in any order.
    """
    bound = {
        (section.session_id, expected.id): actual.id
        for section in pairing.sections
        for expected, actual in section.calls.pairs
    }
    by_title = at_level("content-differs", traces.match)  # another model gives other titles
    for _, (expected, actual) in pairing.requests:
        was, now = expected.call, actual.call
        if expected.method != methods.PERMISSION or was is None or not was.announced:
            continue
        after = "one that is never announced"
        if now is not None:
            is_bound = bound.get((expected.session_id or "", was.id), now.id) == now.id
            titles = (
                traces.expected_uncounted.shown(was.title),
                traces.actual_uncounted.shown(now.title),
            )
            if is_bound or was.kind != now.kind or titles[0] == titles[1] or not by_title:
                continue
            after = now.words
        message = f"a permission is for another tool call: {was.words} → {after}"
        frames = expected.frame, actual.frame
        yield traces.divergence("request-params", expected.session_id, message, *frames, was=was.words,
                                now=after, pointer="/params/toolCall/toolCallId")  # fmt: skip


def _places(permissions: Permissions, files: ShownFiles, permission: Request) -> dict[str, Shown]:
    return permissions.shown(permission) | files.places(permission)


def _misleads(traces: TracePair, expected: Request, actual: Request, found: Misleading) -> Divergence:
    shows, runs = (f'"{text}"' for text in in_words(found))
    before = _DONE[found.does][0] if _is_allowed(expected) else "it is about"
    after = _DONE[found.does][1] if _is_allowed(actual) else "is about"
    return traces.divergence(
        "permission-misleads",
        expected.session_id,
        f"a permission shows {shows} ({found.place}), but is for {runs}",
        expected.frame,
        actual.frame,
        was=f"shows what {before}",
        now=f"shows {shows}, and {after} {runs}",
    )


def _is_allowed(permission: Request) -> bool:
    """Whether something could run: an option was selected, and it does not reject."""
    if pointers.at(permission.result, ("outcome", "outcome")) != "selected":
        return False
    selected = pointers.at(permission.result, ("outcome", "optionId"))
    offered = objects(permission.params.get("options"))
    kinds = [str(option.get("kind")) for option in offered if option.get("optionId") == selected]
    return not any(kind.startswith("reject") for kind in kinds)
