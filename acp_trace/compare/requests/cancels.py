"""How cancels end, and the words for a cancel with another end: not obeyed, too late, never answered.

If a cancel ended differently, the stop reason of its turn is not reported as well.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Generator, Iterator

from acp_trace.analyze import facts
from acp_trace.analyze.facts import Cancellation
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.pairing.tolerance import aimed_cancels
from acp_trace.compare.requests.outcomes import NO_ANSWER, words
from acp_trace.compare.result import Divergence
from acp_trace.compare.trace_pair import TracePair
from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import NOTHING
from acp_trace.protocol import methods
from acp_trace.story.model import Request, Story
from acp_trace.trace.counts import counted
from acp_trace.trace.durations import duration

#: An agent that stops within this time, after no more than this many updates, obeyed the cancel.
_SOON_NS = 2_000_000_000
_FEW = 3
#: Stop reasons of a turn that ended by itself, before its work was done.
_NOT_DONE = frozenset({"refusal", "max_tokens", "max_turn_requests"})


def compare(traces: TracePair, pairing: Pairing) -> Generator[Divergence, None, set[int]]:
    """Compare how cancels ended; return the requests, by expected frame, whose ends are thereby reported."""
    aimed, actual_aimed = (aimed_cancels(story.facts) for story in (traces.expected, traces.actual))
    stray: dict[str | None, list[Cancellation]] = defaultdict(list)
    for cancel in traces.actual.facts.cancellations:
        if cancel.kind != "internal" and cancel.target_frame is None:
            stray[cancel.session_id].append(cancel)
    settled: set[int] = set()
    for sessions, (expected, actual) in pairing.requests:
        expected_cancel = aimed.get(expected.frame)
        if expected_cancel is None:
            continue
        left = stray.get(actual.session_id if sessions else None)
        aimless = left.pop(0) if left and actual.frame not in actual_aimed else None
        ended = actual_aimed.get(actual.frame, aimless)
        if ended is None:
            continue
        if ended.outcome == expected_cancel.outcome:
            yield from _later(traces, expected, expected_cancel, ended)
            continue
        turn = traces.actual.turns.get(actual.frame)
        if turn and _fails(turn) and (ended is aimless or _as_others(traces.actual, turn, actual_aimed)):
            continue
        if _is_cut(traces, expected_cancel, ended) or _is_masked(traces, expected, actual):
            continue
        settled.add(expected.frame)
        frames = [cancel.settled_frame or cancel.frame for cancel in (expected_cancel, ended)]
        what = _name(expected, expected_cancel)
        was = _outcome(expected_cancel.outcome, words(traces.expected, expected))
        ending = words(traces.actual, actual)
        now = _outcome(ended.outcome, ending)
        stop_reason = turn.stop_reason if turn else None
        message = sentence(what, expected_cancel, ended, stop_reason, ending)
        yield traces.divergence("cancel-outcome", expected.session_id, message, *frames, was=was, now=now)
    return settled


def _later(
    traces: TracePair, request: Request, expected: Cancellation, actual: Cancellation
) -> Iterator[Divergence]:
    """Note a cancel with the same end after far more time and work: a slow machine alone adds no work."""
    if _is_soon(expected, actual) or _is_little(expected, actual):
        return
    was, now = (f"{_took(each)} and {_updates(each)}" for each in (expected, actual))
    message = (
        f"{_name(request, expected)} obeyed later: it went on for {now}; in the expected trace, for {was}"
    )
    frames = [cancel.settled_frame or cancel.frame for cancel in (expected, actual)]
    yield traces.divergence("cancel-later", request.session_id, message, *frames, was=was, now=now)


def _fails(turn: facts.Turn) -> bool:
    """Whether a turn ended before its work was done, and not because it was cancelled."""
    return turn.error_code is not None or turn.stop_reason in _NOT_DONE


def _as_others(story: Story, turn: facts.Turn, cancelled: Container[int]) -> bool:
    """Whether a turn without a cancel ended in the same way, as every turn does without a model."""
    return any(
        (other.stop_reason, other.error_code) == (turn.stop_reason, turn.error_code)
        for frame, other in story.turns.items()
        if frame not in cancelled
    )


def _is_cut(traces: TracePair, expected: Cancellation, actual: Cancellation) -> bool:
    """Whether a trace ended before its request was answered."""
    cut = expected.outcome == "unanswered" and not traces.expected.whole
    return cut or (actual.outcome == "unanswered" and not traces.actual.whole)


def _is_masked(traces: TracePair, expected: Request, actual: Request) -> bool:
    """Whether a mask hides the stop reason, which is what would differ."""
    path = ("result", "stopReason")
    was, now = (pointers.at(request.result, path[1:]) for request in (expected, actual))
    if not traces.masks or NOTHING in (was, now):
        return False
    return traces.expected_normalizer.text(was, path) == traces.actual_normalizer.text(now, path)


def _name(request: Request, cancel: Cancellation) -> str:
    return "cancel" if request.method == methods.PROMPT else f"{cancel.kind} of {request.method}"


def _outcome(outcome: str, ending: str) -> str:
    """Return the outcome of a cancel, and how the request ended, if that adds information."""
    if ending == NO_ANSWER:
        return outcome
    return ending if f"{ending} ".startswith(f"{outcome} ") else f"{outcome}: {ending}"


# -- in words


def sentence(
    what: str, expected: Cancellation, actual: Cancellation, stop_reason: str | None, ending: str
) -> str:
    """Return the outcome of a cancel, in one sentence. `ending`: how its target ended, in words."""
    if actual.outcome == "no_target":
        return f"{what}: there was nothing to cancel any more; in the expected trace, {_ended(expected)}"
    if actual.outcome == "unanswered":
        target = f"{actual.target_method} #{actual.target_frame}"
        return f"{what}: {target} was never answered; in the expected trace, {_ended(expected)}"
    if actual.outcome != "completed":
        after = f"{ending} after {_took(actual)}" if actual.outcome == "error" else _ended(actual)
        return f"{what}: {after}; in the expected trace, {_ended(expected)}"
    ending = f"it ends with {ending}" if stop_reason is None else f"stopReason is {stop_reason}"
    if _is_obeyed(expected, actual):
        return f"{what} obeyed after {_took(actual)}, but {ending}"
    more = f" and {_updates(actual)}" if actual.updates_after_cancel else ""
    return f"{what} not obeyed: it went on for {_took(actual)}{more}, and {ending}"


def _is_obeyed(expected: Cancellation, actual: Cancellation) -> bool:
    """Whether the work ended with the cancel, about as soon as it did in the expected trace."""
    return _is_soon(expected, actual) and _is_little(expected, actual)


def _is_soon(expected: Cancellation, actual: Cancellation) -> bool:
    return (actual.settle_ns or 0) <= max(_SOON_NS, 2 * (expected.settle_ns or 0))


def _is_little(expected: Cancellation, actual: Cancellation) -> bool:
    return actual.updates_after_cancel <= max(_FEW, 2 * expected.updates_after_cancel)


def _ended(cancel: Cancellation) -> str:
    after = "" if cancel.settle_ns is None else f" after {_took(cancel)}"
    return {
        "cancelled": f"cancelled{after}",
        "completed": f"it ended with a result{after}",
        "error": f"it ended with an error{after}",
        "unanswered": "it was never answered",
        "no_target": "there was nothing to cancel",
    }.get(cancel.outcome, cancel.outcome)


def _updates(cancel: Cancellation) -> str:
    return counted(cancel.updates_after_cancel, "update")


def _took(cancel: Cancellation) -> str:
    return duration(cancel.settle_ns or 0)
