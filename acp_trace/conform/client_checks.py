"""Requirements of clients without a finding: what they survive, and their answers to unknown methods. Pure.

A trace does not show how the client's process ended: `drive_client` adds that to the evidence.
"""

from __future__ import annotations

from collections.abc import Callable

from acp_trace.conform.checks import METHOD_NOT_FOUND, UNKNOWN
from acp_trace.conform.evidence import Evidence
from acp_trace.conform.look import Check, Look, Looks
from acp_trace.protocol import methods

#: Signals that a process only gets by a fault of its own: SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
_CRASHES = (4, 6, 7, 8, 11)


def _unknown_requests(evidence: Evidence) -> Looks:
    for one in evidence.facts.exchanges:
        if one.sender != "agent" or not one.method.startswith(UNKNOWN) or one.response_frame is None:
            continue
        answer = one.error_code if one.outcome == "error" else "a result"
        why = None if answer == METHOD_NOT_FOUND else f"{one.method} was answered with {answer}, not -32601"
        yield Look(one.response_frame, why)


def _survives(frames: Callable[[Evidence], list[int]]) -> Check:
    """After each of these frames of the agent, the client stays until its agent is done."""

    def check(evidence: Evidence) -> Looks:
        for frame in frames(evidence):
            open_ = next(
                (call for call in evidence.calls if call.frame < frame and call.answer is None), None
            )
            left = open_ is not None and evidence.facts.trace.client_left
            yield Look(frame, "the client left in the middle of the turn" if left else None)

    return check


def _unknown_updates(evidence: Evidence) -> list[int]:
    return evidence.unknown_updates


def _errors(evidence: Evidence) -> Looks:
    """The client goes on in some way, or leaves: it is not killed by a fault of its own."""
    for call in evidence.calls:
        if call.error is not None and call.answer is not None:
            yield Look(call.answer, _crash(evidence))


def _early_end(evidence: Evidence) -> Looks:
    if evidence.probe == "early-end" and any(evidence.calls_of(methods.PROMPT)):
        last = evidence.facts.trace.frames_client + evidence.facts.trace.frames_agent
        why = "the client was still running when its time was over" if evidence.client_hung else None
        yield Look(last, why)


def _crashes(evidence: Evidence) -> Looks:
    if evidence.client_signal is not None or evidence.probe:
        yield Look(evidence.facts.trace.frames_client, _crash(evidence))


def _crash(evidence: Evidence) -> str | None:
    signal = evidence.client_signal
    return f"the client was ended by signal {signal}" if signal in _CRASHES else None


CLIENT_CHECKS: dict[str, Check] = {
    "ACT-CLIENT-ANSWER-002": _unknown_requests,
    "ACT-CLIENT-SURVIVES-001": _survives(_unknown_updates),
    "ACT-CLIENT-SURVIVES-002": _errors,
    "ACT-CLIENT-SURVIVES-003": _early_end,
    "ACT-CLIENT-CRASH-001": _crashes,
}
