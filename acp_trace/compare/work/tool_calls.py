"""Tool calls of one section: their kinds, the order of their statuses, whether they waited for permissions.

Each call is a stream of its own, so calls may come in any order between two barriers.
"""

from __future__ import annotations

from acp_trace.compare.content import differ
from acp_trace.compare.pairing import calls
from acp_trace.compare.pairing.align import Barriers
from acp_trace.compare.pairing.pairs import SectionPair
from acp_trace.compare.pairing.tolerance import Late, Tolerance
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair, Value
from acp_trace.story.model import OTHER, Call

_CALLS = "tool call"  #: the kind of what comes after a turn
_DRAFT = 2  #: the version of the protocol in which no `tool_call` announces a call


def compare(traces: TracePair, section: SectionPair, barriers: Barriers, late: Late) -> Divergences:
    """Compare the calls of a section; `late`: what comes after its end."""
    session_id, tolerance = section.session_id, section.tolerance
    for expected, actual in section.calls.pairs:
        if expected.announced and not actual.announced:
            message = _unannounced(actual)
            yield traces.divergence(
                "tool-call-unannounced", session_id, message, expected.frame, actual.frame
            )
        if actual.announcements > max(expected.announcements, 1) and not tolerance.open_end:
            message = f"tool call {expected.name} is announced {actual.announcements} times"
            yield traces.divergence("tool-call-twice", session_id, message, expected.frame, actual.frame)
        are_known = all(call.announced or call.kind is not None for call in (expected, actual))
        kind = _kind(traces, session_id, expected, actual) if are_known else None
        status = _statuses(traces, session_id, expected, actual, tolerance, late)
        yield from (each for each in (kind, status) if each)
        is_late = _CALLS in late.expected or _CALLS in late.actual
        is_alike = not (kind or status) and (are_known or expected.announced is actual.announced)
        if is_alike and not is_late and _is_over(expected, actual, tolerance):
            yield from differ.call(traces, session_id, f"tool call {expected.name}", expected, actual)
        if early := _early(traces, session_id, expected, actual):
            yield early
        elif not tolerance.extra and (moved := _moved(traces, session_id, expected, actual, barriers)):
            yield moved
    for expected in section.calls.missing:
        if not (tolerance.may_miss(expected.frame) or _CALLS in late.actual):
            words = expected.words
            message = f"a tool call is no longer made: {words}"
            yield traces.divergence("tool-call-missing", session_id, message, expected.frame, None, was=words)
    for actual in section.calls.extra:
        if tolerance.may_add(actual.frame) or _CALLS in late.expected:
            continue
        words, frames = actual.words, (None, actual.frame)
        if actual.announced or actual.permissions or traces.actual.facts.trace.protocol_version == _DRAFT:
            message = f"an additional tool call: {words}"
            yield traces.divergence("tool-call-extra", session_id, message, *frames, now=words)
        else:
            yield traces.divergence(
                "tool-call-unannounced", session_id, _unannounced(actual), *frames, now=words
            )


def _is_over(expected: Call, actual: Call, tolerance: Tolerance) -> bool:
    """Whether both ended before chance begins, so that their content is complete."""
    if not tolerance.open_end:
        return True
    ends = expected.end, actual.end
    cancels = tolerance.cancels or (None, None)
    return all(
        end is not None and (cancel is None or end < cancel)
        for end, cancel in zip(ends, cancels, strict=True)
    )


def _kind(traces: TracePair, session_id: str, expected: Call, actual: Call) -> Divergence | None:
    """Report two calls of different kinds, if the kinds are known: the announcement of a call gives it."""
    was, now = (Value(call.frame, calls.KIND, call.kind or OTHER) for call in (expected, actual))
    return traces.difference("tool-call-kind", session_id, f"tool call {expected.name}: kind", was, now)


def _statuses(
    traces: TracePair, session_id: str, expected: Call, actual: Call, tolerance: Tolerance, late: Late
) -> Divergence | None:
    was = calls.normal_statuses(expected, traces.expected_normalizer)
    now = calls.normal_statuses(actual, traces.actual_normalizer)
    if was == now:
        return None
    sure = was
    if tolerance.missing_after is not None:
        steps = expected.steps[-len(was) :] if was else []
        sure = was[: sum(not tolerance.may_miss(frame) for frame, _ in steps)]
    begins = now[: len(sure)] == sure
    if begins and (tolerance.extra or now == was[: len(now)]):
        return None
    if _CALLS in late.expected and was == now[: len(was)]:
        return None
    if _CALLS in late.actual and now == was[: len(now)]:
        return None  # the rest comes after the end, which is reported
    unlike = (i for i, pair in enumerate(zip(was, now, strict=False)) if pair[0] != pair[1])
    at = next(unlike, min(len(was), len(now)))
    frames = [_frame(call, at) for call in (expected, actual)]
    before, after = (" → ".join([calls.PENDING, *calls.statuses(call)]) for call in (expected, actual))
    refused = traces.masks.refusal(calls.STATUS, before, after) if traces.masks else None
    message = f"tool call {expected.name} goes {after} instead of {before}"
    return traces.divergence("tool-call-status", session_id, message, *frames, was=before, now=after,
                             pointer="/params/update/status", refused=refused)  # fmt: skip


def _frame(call: Call, at: int) -> int:
    """Return the frame of the n-th status without the first `pending`, or of the last before."""
    steps = call.steps[-len(calls.statuses(call)) :] if calls.statuses(call) else []
    return steps[min(at, len(steps) - 1)][0] if steps else call.frame


def _early(traces: TracePair, session_id: str, expected: Call, actual: Call) -> Divergence | None:
    """Report a call that now ends before its permission is answered; or that begins after it."""
    for was, now in zip(expected.permissions, actual.permissions, strict=False):
        if expected.announced is actual.announced and expected.frame < was.frame and actual.frame > now.frame:
            message = f"tool call {expected.name} begins after its permission is asked for, instead of before"
            return traces.divergence("tool-call-moved", session_id, message, expected.frame, actual.frame)
        if expected.end is None or actual.end is None:
            continue
        waited = was.response_frame is not None and was.response_frame < expected.end
        if now.response_frame is None and traces.actual.facts.trace.imported_from is not None:
            continue  # another tool's log may lack the answers of its client
        if waited and (now.response_frame is None or now.response_frame > actual.end):
            message = f"tool call {expected.name} is over before its permission is answered"
            return traces.divergence("tool-call-early", session_id, message, expected.end, actual.end)
    return None


def _moved(
    traces: TracePair, session_id: str, expected: Call, actual: Call, barriers: Barriers
) -> Divergence | None:
    """Report a call that is entirely on the other side of a barrier."""
    expected_begin, expected_end = barriers.expected(expected.frame), barriers.expected(expected.last)
    actual_begin, actual_end = barriers.actual(actual.frame), barriers.actual(actual.last)
    if actual_begin > expected_end or actual_end < expected_begin:
        now, was = ("after", "before") if actual_begin > expected_end else ("before", "after")
        message = f"tool call {expected.name} comes {now} a request of the agent, instead of {was} it"
        return traces.divergence("tool-call-moved", session_id, message, expected.frame, actual.frame)
    return None


def _unannounced(call: Call) -> str:
    """Return the words for what is there in place of a tool call."""
    listed = ", ".join(f'"{status}"' for _, status in call.steps)
    updates = f"update{'s' if len(call.steps) > 1 else ''} {listed}" if listed else "an update"
    title = f" ({call.title[:60]})" if call.title else ""
    return f"{updates} for a tool call that was never announced{title}"
