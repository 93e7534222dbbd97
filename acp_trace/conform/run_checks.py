"""What a run shows about an agent as a process: that it hangs, exits too early, does not end. Pure.

`Evidence.aborted` says why `conform` itself ended it.
"""

from __future__ import annotations

from acp_trace.conform.evidence import Evidence
from acp_trace.conform.look import Look, Looks
from acp_trace.protocol import methods

#: Findings that say already that the agent ended.
_ENDS = ("agent-crashed", "agent-never-spoke")
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
    """What was waited for in vain, unless it came in an unrecognised form or was cancelled."""
    if evidence.aborted not in ("timeout", "flood"):
        answered = next((call.answer for call in evidence.calls if call.answer is not None), None)
        if answered is not None:
            yield Look(answered)
        return
    if evidence.aborted == "flood":
        yield Look(evidence.facts.trace.frames_client, "far more messages arrived than a turn explains")
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
    """An agent that leaves by itself before its client does. A crash with open requests is a finding."""
    if not _is_gone(evidence) or any(one.code in _ENDS for one in evidence.findings_of("agent")):
        return
    waiting = next((call for call in evidence.calls if call.answer is None), None)
    if waiting is not None and not _odd_before(evidence, waiting.frame):
        yield Look(waiting.frame, f"the agent {_left(evidence)} before it answered {waiting.method}")
    elif waiting is None and not any(sender == "client" for _, sender in evidence.odd):
        last = evidence.facts.trace.frames_client + evidence.facts.trace.frames_agent
        yield Look(last, f"the agent {_left(evidence)} although its client had not left")


def _is_gone(evidence: Evidence) -> bool:
    """Whether an agent that `conform` drove was gone before its client was done."""
    trace = evidence.facts.trace
    is_over = trace.complete and evidence.aborted in (
        None,
        "stayed",
    )  # it may have closed its output, and stayed
    return bool(evidence.probe) and is_over and not trace.client_left


def _left(evidence: Evidence) -> str:
    return "ended" if evidence.aborted is None else "closed its output"


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
    elif _is_gone(evidence):
        yield Look(odd, "after it, the agent ended")
    elif later and evidence.probe:
        yield Look(odd, "after it, the agent answered no more")
