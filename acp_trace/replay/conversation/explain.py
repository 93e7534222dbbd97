"""A plan in words: its steps, what they wait for, what is rewritten; and what a conversation is waiting for.

What is rewritten is named by its place and by the source of the new value: the values of a run are not known
yet. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from acp_trace.normalize.bindings import ids_in
from acp_trace.protocol import methods
from acp_trace.replay.conversation.peer_state import PeerState
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.conversation.scheduler import Scheduler
from acp_trace.replay.plan.steps import Plan, Step
from acp_trace.replay.plan.turn_progress import Seen, missing
from acp_trace.trace.json_pointer import written

_MOST = 4  #: parts of a wait that are named
_NEW, _KEPT = "\0", "\1"  #: ends of stand-ins for directories: those of a run are not known here


@dataclass(frozen=True, slots=True)
class Explained:
    """One step. `frame` is None for the end; `bound`: places, and their values in a run."""

    step: int
    frame: int | None
    what: str
    session: str | None
    waits_for: list[str]
    bound: list[str]
    pause_ns: int


def explained(plan: Plan, kept: Collection[str] = ()) -> list[Explained]:
    """Return all steps of a plan, in order. `kept`: the recorded directories in which a run continues."""
    first_named = _first_named(plan)
    return [
        Explained(
            step.number,
            step.frame,
            _what(plan, step),
            step.message.session if step.message else None,
            list(_waits(plan, step)),
            list(_bound(plan, step, first_named, kept)),
            step.pause_ns,
        )
        for step in plan.steps
        if step.message is not None or plan.own == "client"
    ]


def _what(plan: Plan, step: Step) -> str:
    message = step.message
    if message is None:
        return "end"
    if step.answers is not None:
        return f"answer to {plan.recording.at(step.answers).method}"
    return message.method or "a line"


def _waits(plan: Plan, step: Step) -> Iterator[str]:
    at = plan.recording.at
    if step.answers is not None:
        yield f"{at(step.answers).method} of the {plan.peer} (#{step.answers})"
        turns = sorted(frame for frame in step.within if frame in plan.recording.turns)
        if turns:
            yield f"given up when the turn of #{turns[0]} is over without it"
        return
    for frame in step.responses:
        yield f"answer to {at(frame).method} (#{frame})"
    for frame in step.over:
        yield f"the end of the turn of #{frame}"
    for frame in step.received:
        yield f"{at(frame).method} (#{frame})"
    if step.turn is not None:
        seen = ", ".join([*missing(step.progress, Seen()), *([_amount(step)] if step.amount else [])])
        yield f"in the turn of #{step.turn}: {seen or 'nothing'}"
    if step.late:
        kinds = ", ".join(sorted({kind for _, kind in step.late}))
        yield f"for a limited time: {kinds}"


def _bound(
    plan: Plan, step: Step, first_named: dict[tuple[str, str], int], kept: Collection[str]
) -> Iterator[str]:
    message = step.message
    if message is None:
        return
    value = message.value
    if step.answers is not None and "id" in value:
        yield f"/id ← the id of {plan.recording.at(step.answers).method}"
    root = "params" if "method" in value else "result"
    for kind, holder, path in ids_in(value, message.method or "", root):
        frame = first_named.get((kind, str(holder[path[-1]])))
        if kind == "option":
            yield f"{written(path)} ← the option of the same kind, name or place"
        elif kind == "request":
            yield f"{written(path)} ← the id of the same request in the run"
        elif frame is not None and frame < message.frame:
            yield f"{written(path)} ← the {kind} of #{frame}"
    rewriter = Rewriter()
    for directory in plan.recording.directories:
        # any other name: the places inside the directory change
        rewriter.directories.pair(directory, directory + (_KEPT if directory in kept else _NEW))
    for change in rewriter.rewrite(message)[1]:
        if change.what == "directory":
            where = "recorded" if _KEPT in unquote(change.now) else "new"  # a URI has it with an escape
            yield f"{change.pointer} ← {change.was} from the {where} directory"


def _first_named(plan: Plan) -> dict[tuple[str, str], int]:
    """Return the first frame with each id that the peer makes up, by kind and id."""
    frames: dict[tuple[str, str], int] = {}
    for message in plan.recording.messages:
        if message.sender == plan.peer:
            root = "params" if message.kind != "response" else "result"
            if root == "params" and message.method in methods.OPENERS:
                continue
            for kind, holder, path in ids_in(message.value, message.method or "", root):
                frames.setdefault((kind, str(holder[path[-1]])), message.frame)
    return frames


# -- what a conversation waits for


def waits(plan: Plan, peer: PeerState, scheduler: Scheduler) -> str:
    """Return the next step of each track, and what it waits for: for a timeout, and for onlookers."""
    parts = [waiting(plan, peer, step, absent) for step, absent in scheduler.next_steps()]
    more = f" … and {len(parts) - _MOST} more" if len(parts) > _MOST else ""
    return "; ".join(parts[:_MOST]) + more


def waiting(plan: Plan, peer: PeerState, step: Step, absent: Sequence[int] = ()) -> str:
    """Return what a step waits for: `the end waits for usage_update`. `absent`: the client's messages."""
    return f"{_name(plan, step)} waits for {_for_what(plan, peer, step, absent)}"


def _name(plan: Plan, step: Step) -> str:
    """Return a step's name for people."""
    article = "the " if step.message is None or step.answers is not None else ""
    number = "" if step.message is None else f" (#{step.message.frame})"
    return f"{article}{_what(plan, step)}{number}"


def _for_what(plan: Plan, peer: PeerState, step: Step, absent: Sequence[int]) -> str:
    if step.answers is not None and step.answers not in peer.received:
        return f"{plan.recording.at(step.answers).method} of the {plan.peer}"
    missing = list(_messages(plan, absent))
    if step.answers is None:
        missing = [*_ends(plan, peer, step), *missing]
        if unseen := peer.unseen(step):
            missing.append(f"{', '.join(unseen)} in the turn of #{step.turn}")
        elif (came := peer.too_little(step)) is not None:
            missing.append(f"{_amount(step)} in the turn of #{step.turn}, of which {came} came")
        missing += dict.fromkeys(kind for _, kind in peer.absent(step.late))
    return ", ".join(missing) or "its time"


def _ends(plan: Plan, peer: PeerState, step: Step) -> Iterator[str]:
    """Yield the responses and the ends of turns that a step waits for."""
    for frame in step.responses:
        if frame in peer.sent and frame not in peer.answered:
            yield f"the answer to {plan.recording.at(frame).method} (#{frame})"
    for frame in step.over:
        if frame in peer.sent and frame not in peer.settled:
            yield f"the end of the turn of #{frame}"


def too_short(peer: PeerState, step: Step) -> str | None:
    """Return how much text came in a turn that is over, if it lacked only text."""
    came = peer.fell_short(step)
    return None if came is None else f"{came} of {_amount(step)}"


def _amount(step: Step) -> str:
    """Return how much text a step waits for."""
    return "" if step.amount is None else f"{step.amount.characters} characters of {step.amount.kind}"


def _messages(plan: Plan, frames: Sequence[int]) -> Iterator[str]:
    """Yield the client's messages, if the agent is played."""
    for frame in frames[:_MOST]:
        message = plan.recording.at(frame)
        answer = "" if message.answers is None else "the answer to "
        yield f"{answer}{message.method} of the {plan.peer} (#{frame})"
