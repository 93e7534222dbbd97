"""What a run says of an agent as a process: that it hangs, leaves too early, does not end. Pure.

`Evidence.aborted` says why `conform` itself ended it.
"""

from __future__ import annotations

from acp_trace.conform.evidence import Evidence
from acp_trace.conform.look import Look, Looks
from acp_trace.protocol import methods

#: Lines of an agent that may be the answer that is missing.
_LOST = ("not-json", "not-jsonrpc", "response-to-nothing")


def ends(evidence: Evidence) -> Looks:
    """When its client has closed its side, the agent ends by itself."""
    trace = evidence.facts.trace
    last = trace.frames_client + trace.frames_agent
    if evidence.aborted == "stayed":
        yield Look(last, "the agent did not end when its standard input was closed")
    elif evidence.aborted is None and trace.client_left and trace.complete and trace.exit_code is not None:
        yield Look(last)


def hangs(evidence: Evidence) -> Looks:
    """What was waited for in vain. Not if it came in a form that nobody recognises, or was cancelled."""
    if evidence.aborted not in ("timeout", "flood"):
        answered = next((call.answer for call in evidence.calls if call.answer is not None), None)
        if answered is not None:
            yield Look(answered)
        return
    if evidence.aborted == "flood":
        yield Look(evidence.facts.trace.frames_client, "far more arrived than a turn explains")
        return
    waiting = [call for call in evidence.calls if call.answer is None]
    cancelled = {one.target_frame for one in evidence.cancels}
    for call in waiting[:1]:
        is_lost = any(one.code in _LOST and one.frame > call.frame for one in evidence.findings_of("agent"))
        if not is_lost and call.frame not in cancelled:
            yield Look(call.frame, f"{call.method} was not answered in time")


def initialize_hangs(evidence: Evidence) -> Looks:
    """That `initialize` was not answered in time."""
    for look in hangs(evidence):
        if look.why is not None and evidence.method_at(look.frame) == methods.INITIALIZE:
            yield look


def cancel_settles(evidence: Evidence) -> Looks:
    """That a cancelled turn went on until the time limit."""
    for one in evidence.cancels:
        if one.settled_frame is None and evidence.aborted == "timeout":
            yield Look(one.frame, "the turn did not end after session/cancel, until the time limit")


def stays(evidence: Evidence) -> Looks:
    """An agent that leaves by itself, without a sign of a crash, while its client waits."""
    trace = evidence.facts.trace
    is_early = evidence.probe and trace.complete and evidence.aborted is None and not trace.client_left
    waiting = next((call for call in evidence.calls if call.answer is None), None)
    if is_early and waiting is not None and trace.exit_code == 0 and not _odd_before(evidence, waiting.frame):
        yield Look(waiting.frame, f"the agent ended before it answered {waiting.method}")


def _odd_before(evidence: Evidence, frame: int) -> bool:
    return any(sender == "client" and at < frame for at, sender in evidence.odd)


def odd_input(evidence: Evidence) -> Looks:
    """What became of an agent that got a line that is not a message."""
    odd = next((at for at, sender in evidence.odd if sender == "client"), None)
    if odd is None:
        return
    later = [call for call in evidence.calls if call.frame > odd]
    if any(call.answer is not None for call in later):
        yield Look(odd)
    elif later and evidence.probe:
        gone = not evidence.facts.trace.client_left
        yield Look(odd, f"after it, the agent {'ended' if gone else 'answered no more'}")
