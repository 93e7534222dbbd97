"""What a conversation waits for, in words: for a timeout, and for whoever looks on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from acp_trace.replay.plan import Plan, Step

if TYPE_CHECKING:
    from acp_trace.replay.conversation import Conversation

_MOST = 4


def waits(of: Conversation) -> str:
    """The next step of each lane, and what it waits for."""
    told = [f"{name(of.plan, step)} waits for {what}" for step, what in _waiting(of)]
    more = f" … and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return "; ".join(told[:_MOST]) + more


def name(plan: Plan, step: Step) -> str:
    """A step as people know it."""
    said = step.said
    if said is None:
        return "the end"
    if step.answers is not None:
        return f"the answer to {plan.recording.at(step.answers).method} (#{said.frame})"
    return f"{said.method or 'a line'} (#{said.frame})"


def _waiting(of: Conversation) -> Iterator[tuple[Step, str]]:
    for lane in of.lanes.values():
        told = lane.next
        answer = lane.before or (None if told else lane.first(of.done))
        if answer is not None:
            yield answer, _for_answer(of, answer)
        elif told is not None:
            yield told, _for_told(of, told)


def _for_answer(of: Conversation, step: Step) -> str:
    asked = of.plan.recording.at(step.answers or 0)
    if asked.frame not in of.live.heard:
        return f"{asked.method} of the {of.plan.live}"
    return ", ".join(_unheard(of, step)) or "its time"


def _for_told(of: Conversation, step: Step) -> str:
    at = of.plan.recording.at
    found = [f"the answer to {at(one).method} (#{one})" for one in of.conditions.unanswered(step)]
    found += [f"the end of the turn of #{one}" for one in of.conditions.unsettled(step)]
    found += _unheard(of, step)
    if unseen := of.conditions.unseen(step):
        found.append(f"{', '.join(unseen)} in the turn of #{step.turn}")
    return ", ".join(found) or "its time"


def _unheard(of: Conversation, step: Step) -> list[str]:
    lane, at = of.lanes[step.track], of.plan.recording.at
    missing = [at(one) for one in lane.client[lane.came : step.heard_to] if not of.conditions.came(one)]
    return [
        f"{'' if one.answers is None else 'the answer to '}{one.method} of the {of.plan.live}"
        for one in missing[:_MOST]
    ]
