"""What a cancel's end says about the two sides. Rules: the cancellation group of `codes`."""

from __future__ import annotations

from acp_trace.analyze.cancellations import Cancel
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.protocol import methods
from acp_trace.protocol.outcomes import CANCELLED


def settled(cancels: list[Cancel], findings: Findings, *, ended: bool) -> None:
    """Takes in the cancels that one settling ended; `ended`: a request that ends the session came before."""
    kinds = {one.kind for one in cancels}
    for one in cancels:
        if one.kind == "internal":
            _internal(one, findings, ended=ended)
        elif one.outcome == "error" or _cancelled_by_error(one, kinds):
            code = one.turn.error_code if one.turn else one.target.error_code if one.target else None
            _say(one, findings, "cancel-error", f"error {code} after {one.kind} #{one.frame}")
        elif one.outcome == "completed":
            _completed(one, kinds, findings)


def unsettled(cancel: Cancel, findings: Findings) -> None:
    """Takes in a cancel whose target was still open at the end of the trace."""
    target = cancel.target
    if target is not None:
        told = f"{target.method} #{target.frame} was never answered after {cancel.kind}"
        findings.say("cancel-unanswered", target.answerer, cancel.frame, cancel.session_id, told)


def permission(asked: Open, cancel_frame: int, answer: str, findings: Findings) -> None:
    """Takes in how a permission ended that was open at a session/cancel."""
    if answer != CANCELLED:
        told = f"permission #{asked.frame}, open at session/cancel #{cancel_frame}, ended as {answer}"
        frame = asked.response_frame or asked.frame
        findings.say("permission-not-cancelled", "client", frame, asked.session_id, told)


def _cancelled_by_error(cancel: Cancel, kinds: set[str]) -> bool:
    """-32800 answers a $/cancel_request; a session/cancel asks for the stop reason."""
    by_error = cancel.turn is not None and cancel.turn.failed
    return by_error and cancel.kind == methods.CANCEL and methods.CANCEL_REQUEST not in kinds


def _completed(cancel: Cancel, kinds: set[str], findings: Findings) -> None:
    after = f"{cancel.updates} updates" if cancel.updates != 1 else "1 update"
    if cancel.turn is None:
        return  # a result says nothing about whether the work was cut short
    reason = cancel.turn.stop_reason or "no stop reason"
    if cancel.kind == methods.CANCEL:
        told = f"{reason} after session/cancel #{cancel.frame} and {after}"
        _say(cancel, findings, "cancel-other-stop-reason", told)
    elif cancel.updates and methods.CANCEL not in kinds:  # with none, it may have been done already
        told = f"{after} after {cancel.kind} #{cancel.frame}, then {reason}"
        _say(cancel, findings, "cancel-request-ignored", told)


def _internal(cancel: Cancel, findings: Findings, *, ended: bool) -> None:
    stray = cancel.turn.stray_cancel if cancel.turn else None
    if stray is not None:
        told = f"ended cancelled by session/cancel #{stray}, which came before its prompt"
        _say(cancel, findings, "cancel-leaked", told)
    elif not ended and cancel.target is not None:
        told = f"{cancel.target.method} ended cancelled, and nobody had asked for it"
        _say(cancel, findings, "internal-cancel", told)


def _say(cancel: Cancel, findings: Findings, code: str, told: str) -> None:
    target = cancel.target
    if target is not None:
        findings.say(code, target.answerer, cancel.settled_frame or cancel.frame, cancel.session_id, told)
