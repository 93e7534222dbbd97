"""What a conversation waits for, in words: for a timeout, and for whoever looks on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.replay.peer_state import PeerState
from acp_trace.replay.plan import Plan, Step
from acp_trace.replay.scheduler import Scheduler

_MOST = 4


def waits(plan: Plan, peer: PeerState, scheduler: Scheduler) -> str:
    """The next step of each track, and what it waits for."""
    parts = [
        f"{name(plan, step)} waits for {_for_what(plan, peer, scheduler, step, absent)}"
        for step, absent in scheduler.next_steps()
    ]
    more = f" … and {len(parts) - _MOST} more" if len(parts) > _MOST else ""
    return "; ".join(parts[:_MOST]) + more


def name(plan: Plan, step: Step) -> str:
    """A step as people know it."""
    said = step.said
    if said is None:
        return "the end"
    if step.answers is not None:
        return f"the answer to {plan.recording.at(step.answers).method} (#{said.frame})"
    return f"{said.method or 'a line'} (#{said.frame})"


def _for_what(plan: Plan, peer: PeerState, scheduler: Scheduler, step: Step, absent: Sequence[int]) -> str:
    if step.answers is not None and step.answers not in peer.heard:
        return f"{plan.recording.at(step.answers).method} of the {plan.live}"
    missing = list(_messages(plan, absent))
    if step.answers is None:
        missing = [*_ends(plan, peer, step), *missing]
        if unseen := scheduler.unseen(step):
            missing.append(f"{', '.join(unseen)} in the turn of #{step.turn}")
    return ", ".join(missing) or "its time"


def _ends(plan: Plan, peer: PeerState, step: Step) -> Iterator[str]:
    """Responses, and ends of turns."""
    for frame in step.responses:
        if frame in peer.sent and frame not in peer.answered:
            yield f"the answer to {plan.recording.at(frame).method} (#{frame})"
    for frame in step.over:
        if frame in peer.sent and frame not in peer.settled:
            yield f"the end of the turn of #{frame}"


def _messages(plan: Plan, frames: Sequence[int]) -> Iterator[str]:
    """The client's messages, when the agent is played."""
    for frame in frames[:_MOST]:
        message = plan.recording.at(frame)
        answer = "" if message.answers is None else "the answer to "
        yield f"{answer}{message.method} of the {plan.live}"
