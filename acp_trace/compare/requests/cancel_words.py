"""In which words a cancel is told that ended otherwise. Whether it did, `outcomes` says."""

from __future__ import annotations

from acp_trace.analyze.facts import Cancellation

#: An agent that needs no longer than this, and sends no more than that, has stopped because of the cancel.
_SOON_NS = 2_000_000_000
_FEW = 3
_SECOND = 1_000_000_000


def told(
    what: str, expected: Cancellation, actual: Cancellation, stop_reason: str | None, ending: str
) -> str:
    """What became of a cancel, in one sentence. `ending`: how its target ended, in words."""
    if actual.outcome == "no_target":
        return f"{what}: there was nothing to cancel any more; in the expected trace, {_ended(expected)}"
    if actual.outcome == "unanswered":
        target = f"{actual.target_method} #{actual.target_frame}"
        return f"{what}: {target} was never answered; in the expected trace, {_ended(expected)}"
    if actual.outcome != "completed":
        after = f"{ending} after {_seconds(actual)}" if actual.outcome == "error" else _ended(actual)
        return f"{what}: {after}; in the expected trace, {_ended(expected)}"
    ending = f"it ends with {ending}" if stop_reason is None else f"stopReason is {stop_reason}"
    if _is_obeyed(expected, actual):
        return f"{what} obeyed after {_seconds(actual)}, but {ending}"
    more = f" and {actual.updates_after_cancel} updates" if actual.updates_after_cancel else ""
    return f"{what} not obeyed: it went on for {_seconds(actual)}{more}, and {ending}"


def _is_obeyed(expected: Cancellation, actual: Cancellation) -> bool:
    """Whether the work ended with the cancel, about as soon as it did in the expected trace."""
    soon = max(_SOON_NS, 2 * (expected.settle_ns or 0))
    few = max(_FEW, 2 * expected.updates_after_cancel)
    return (actual.settle_ns or 0) <= soon and actual.updates_after_cancel <= few


def _ended(cancel: Cancellation) -> str:
    after = "" if cancel.settle_ns is None else f" after {_seconds(cancel)}"
    return {
        "cancelled": f"cancelled{after}",
        "completed": f"it ended with a result{after}",
        "error": f"it ended with an error{after}",
        "unanswered": "it was never answered",
        "no_target": "there was nothing to cancel",
    }.get(cancel.outcome, cancel.outcome)


def _seconds(cancel: Cancellation) -> str:
    settle = (cancel.settle_ns or 0) / _SECOND
    return f"{settle:.1f} s" if settle >= 0.1 else f"{settle * 1000:.0f} ms"
