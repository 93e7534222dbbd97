"""Which messages of a side a fault can be aimed at: their names, their parts, their number. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.replay.faults.declaration import MODEL, FaultError, FaultRow, Part, PlannedFault
from acp_trace.replay.plan.steps import Plan
from acp_trace.replay.written.steps import VERBS, WrittenConversation
from acp_trace.trace import near_misses
from acp_trace.trace.entries import Sender

_PARTS: dict[MessageKind, Part] = {
    MessageKind.REQUEST: "request",
    MessageKind.NOTIFICATION: "notification",
    MessageKind.RESPONSE: "response",
}
_PLAYER = {"client": "replay", "agent": "mock"}


class Aim(NamedTuple):
    """Messages of one side. `part`: None for calls of the model. `times`: their number; 0: unknown.

    `is_general`: all updates, of any kind.
    """

    name: str
    part: Part | None
    times: int = 0
    is_general: bool = False


def aims(plan: Plan, calls: int = 0) -> list[Aim]:
    """Return what a fault can be aimed at in a plan, in the recording's order. `calls`: of the model."""
    counts: Counter[tuple[str, Part]] = Counter()
    general: set[str] = set()
    recording = plan.recording
    for step in plan.steps:
        message = step.message
        part = None if message is None else _PARTS.get(message.kind)
        if message is None or part is None:
            continue
        if part == "response":
            asked = recording.at(message.answers).method if message.answers is not None else None
            names = [asked] if asked else []
        else:
            names = [name for name in (message.method, message.update) if name]
            general |= {*names[:1]} if len(names) > 1 else set()
        for name in names:
            counts[name, part] += 1
    found = [Aim(name, part, count, name in general) for (name, part), count in counts.items()]
    return [*found, *([Aim(MODEL, None, calls)] if calls else [])]


def script_aims(written: WrittenConversation) -> list[Aim]:
    """Return the same for a written conversation. The number of its agent's requests is unknown."""
    counts: Counter[tuple[str, Part]] = Counter()
    if not (written.steps and written.steps[0].method == methods.INITIALIZE):
        counts[methods.INITIALIZE, "request"] += 1
    for step in written.steps:
        if step.verb == "cancel" and step.beside.get("by") == "request":
            counts[methods.CANCEL_REQUEST, "notification"] += 1
        elif step.method:
            is_request = step.verb == "request" or VERBS[step.verb].is_answered
            counts[step.method, "request" if is_request else "notification"] += 1
    served = [methods.PERMISSION]
    served += [methods.READ_FILE, methods.WRITE_FILE] if written.files else []
    served += methods.TERMINALS if written.terminals else []
    served += [methods.ELICITATION] if written.elicitation is not None else []
    asked: list[Aim] = [Aim(name, "response") for name in served]
    return [*(Aim(name, part, count) for (name, part), count in counts.items()), *asked]


def can_do(kind: FaultRow, own: Sender) -> bool:
    """Whether a side can do something of this kind."""
    return kind.own in (None, own)


def fits(kind: FaultRow, aim: Aim) -> bool:
    """Whether a kind makes sense on these messages."""
    if kind.only and kind.only != aim.name:
        return False
    return not kind.parts if aim.part is None else aim.part in kind.parts


def check(faults: Iterable[PlannedFault], of: Sequence[Aim], own: Sender) -> None:
    """Raise FaultError for an impossible fault: its side, its messages, or their number."""
    for fault in faults:
        if (why := _why_not(fault, of, own)) is not None:
            at = fault.text.find(f" {fault.method}") + 1
            raise FaultError(why, fault.text, at, at + len(fault.method))


def _why_not(fault: PlannedFault, of: Sequence[Aim], own: Sender) -> str | None:
    """Return why a fault is impossible; None if it is possible."""
    kind = fault.kind
    if not can_do(kind, own):
        return f"{kind.name} is a fault of the {kind.own}: `{_PLAYER[own]}` plays the {own}"
    named = [aim for aim in of if aim.name == fault.method]
    fitting = [aim for aim in of if fits(kind, aim)]
    names = dict.fromkeys(aim.name for aim in fitting)
    if not named:
        what = "recorded call of a model" if fault.method == MODEL else f"{fault.method} of the {own}"
        return f"there is no {what}{_instead(fault.method, names)}"
    if not any(fits(kind, aim) for aim in named):
        return f"{kind.name} makes no sense on {fault.method}{_instead(fault.method, names)}"
    most = max(aim.times for aim in named if fits(kind, aim))
    if fault.nth is not None and 0 < most < fault.nth:
        times = "once" if most == 1 else f"{most} times"
        return f"{fault.method} comes only {times}"
    return None


def _instead(name: str, names: Iterable[str]) -> str:
    """Return the end of a message: the existing names, and the one that may have been meant."""
    if not (names := list(names)):
        return ", and no other message can have this fault"
    suggestion = near_misses.suggestion(name, names, most=1)
    return f"{suggestion or '.'} It can be on: {', '.join(names)}"
