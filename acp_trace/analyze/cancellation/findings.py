"""What a cancel's end shows about the two sides. Rules: the cancellation group of `codes`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from acp_trace.analyze.batches import perhaps_unread
from acp_trace.analyze.cancellation.cancellations import Cancel
from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.findings.unanswered import Excuse, Unanswered
from acp_trace.protocol import methods
from acp_trace.protocol.outcomes import CANCELLED
from acp_trace.trace.counts import counted
from acp_trace.trace.durations import duration

#: A sooner answer after a cancel may already have been on its way, ns.
CROSSING_NS = 50_000_000
#: A cancelled turn that takes at least this long ends slowly, ns.
_SLOW = 5_000_000_000
_ABOUT_CANCEL = re.compile(r"\b(?:abort|cancel|interrupt)", re.IGNORECASE)
_MOST = 100  #: requests, and tool calls, that one cancel looks at


def settled(
    cancels: list[Cancel],
    findings: Findings,
    *,
    ended: bool,
    version: int | None,
    fastest: int,
    loose: Sequence[Open] = (),
) -> None:
    """Report on the cancels that one settlement ended, each code once.

    `ended`: a request that ends the session came before. `fastest`: the shortest time in which the side has
    answered anything (ns): an answer that comes sooner after a cancel has crossed it. `loose`: requests of
    the agent that name no session.
    """
    kinds = {cancel.kind for cancel in cancels}
    reported: set[str] = set()
    for cancel in cancels:
        finding = (
            _internal(cancel, ended=ended)
            if cancel.kind == "internal"
            else _asked(cancel, kinds, version, loose)
        )
        if finding is not None and cancel.target is not None and finding[0] not in reported:
            code, text = finding
            reported.add(code)
            frame = cancel.settled_frame or cancel.frame
            excuse = _excuse(cancel, code, fastest)
            _say(code, cancel, cancel.target, frame, findings, text + excuse.text, excuse)


def _excuse(cancel: Cancel, code: str, fastest: int) -> Excuse:
    """Return the excuse for a finding that may not be a fault."""
    if code not in ("cancel-other-stop-reason", "cancel-error"):
        return Excuse()
    took = cancel.settle_ns or 0
    target = cancel.target
    said = () if target is None else (target.error_message, target.error_data)
    if any(text is not None and _ABOUT_CANCEL.search(text) for text in said):
        return Excuse()  # it answers the cancel, however soon it came
    if not cancel.updates and took < min(fastest, CROSSING_NS) and not _is_at_work(cancel):
        text = f"; the answer came {duration(took)} after the cancel, and was already on its way"
        return Excuse("note", text)
    if cancel.queued:
        return Excuse("warning", "; the prompt was waiting behind another one when the cancel came")
    return Excuse()


def _is_at_work(cancel: Cancel) -> bool:
    """Whether a tool call was under way; then the turn was not ending."""
    calls = () if cancel.session is None else list(cancel.session.latest_call.values())[-_MOST:]
    return any(call.status == "in_progress" for call in calls)


def _slow(cancel: Cancel, loose: Sequence[Open]) -> str | None:
    """Return what to report about a slow cancelled turn whose client owed nothing."""
    turn, session, took = cancel.turn, cancel.session, cancel.settle_ns or 0
    if took < _SLOW or turn is None or session is None or turn.outcome != CANCELLED or cancel.queued:
        return None
    of_turn = (*cancel.open, *session.requests.get(turn.index, []), *loose[-_MOST:])
    asked = [one for one in of_turn if one.sender == "agent"]
    waited = [cancel.t if one.latency_ns is None else one.t + one.latency_ns for one in asked]
    own = took - max([0, *(until - cancel.t for until in waited)])
    if own < _SLOW or any(one.outcome == "open" for one in asked):
        return None
    return f"the turn ended {duration(took)} after {cancel.kind} #{cancel.frame}"


def unsettled(cancel: Cancel, findings: Findings, unanswered: Unanswered) -> None:
    """Report on a cancel whose target was still open at the end of the trace."""
    target = cancel.target
    if target is not None:
        excuse = unanswered.excuse(target, cancel.t)
        text = f"{target.method} #{target.frame} {unanswered.verb} after {cancel.kind}"
        if unanswered.moment is not None:
            text += f"; {unanswered.open_for(cancel.t)} later {unanswered.moment}"
        _say("cancel-unanswered", cancel, target, cancel.frame, findings, text + excuse.text, excuse)
        if excuse.severity is None:
            for code in ("never-answered", "turn-unfinished"):
                findings.follows(code, target.frame, cancel.frame)


def _say(
    code: str,
    cancel: Cancel,
    target: Open,
    frame: int,
    findings: Findings,
    text: str,
    excuse: Excuse,
) -> None:
    cause = excuse.consequence_of or perhaps_unread(target.answerer, cancel.frame, target.frame)
    findings.say(
        code,
        target.answerer,
        frame,
        cancel.session_id,
        text,
        severity=excuse.severity,
        consequence_of=cause,
    )


def permission(exchange: Open, cancel_frame: int, answer: str, findings: Findings) -> None:
    """Report on a permission that was open at a session/cancel and has ended."""
    if answer != CANCELLED:
        text = f"permission #{exchange.frame}, open at session/cancel #{cancel_frame}, ended as {answer}"
        text += ", not cancelled"
        frame = exchange.response_frame or exchange.frame
        findings.say("permission-not-cancelled", "client", frame, exchange.session_id, text)


def _asked(
    cancel: Cancel, kinds: set[str], version: int | None, loose: Sequence[Open]
) -> tuple[str, str] | None:
    """Return code and message for a cancel that a side sent."""
    if cancel.outcome == "error" or _cancelled_by_error(cancel, kinds, version):
        error = cancel.turn.error_code if cancel.turn else cancel.target.error_code if cancel.target else None
        return "cancel-error", f"error {error} after {cancel.kind} #{cancel.frame}"
    if cancel.outcome != "completed" or cancel.turn is None:
        slow = _slow(cancel, loose)
        return None if slow is None else ("cancel-slow", slow)  # other results show nothing here
    after = counted(cancel.updates, "update")
    reason = cancel.turn.stop_reason or "no stop reason"
    if version == 2 and cancel.turn.stop_reason is None:
        return None  # an idle state SHOULD give the reason, but need not
    if cancel.kind == methods.CANCEL:
        text = f"{reason}, not cancelled, after session/cancel #{cancel.frame} and {after}"
        return "cancel-other-stop-reason", text
    # Without an update the turn may have been finished already; in draft 2 the response only says that the
    # prompt was inserted, and may come first.
    if cancel.updates and methods.CANCEL not in kinds and version != 2:
        return "cancel-request-ignored", f"{after} after {cancel.kind} #{cancel.frame}, then {reason}"
    return None


def _cancelled_by_error(cancel: Cancel, kinds: set[str], version: int | None) -> bool:
    """Whether an error is wrong: -32800 answers $/cancel_request; session/cancel (v1) needs a stop reason."""
    by_error = cancel.turn is not None and cancel.turn.failed
    return by_error and version != 2 and cancel.kind == methods.CANCEL and methods.CANCEL_REQUEST not in kinds


def _internal(cancel: Cancel, *, ended: bool) -> tuple[str, str] | None:
    """Return code and message for an end that neither side had requested."""
    if ended or cancel.target is None:
        return None
    stray = cancel.turn.stray_cancel if cancel.turn else None
    if stray is not None:
        text = f"the turn ended cancelled, but session/cancel #{stray} came before its prompt"
        return "cancel-leaked", text
    return "internal-cancel", f"{cancel.target.method} ended cancelled without a cancel"
