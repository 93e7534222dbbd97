"""A plan in words: each step, what it waits for, what is rewritten in it. Pure.

What is rewritten is told by place and by where the new value will come from: the values of a live run are
known only then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acp_trace.compare.bindings import ids_in
from acp_trace.compare.pointers import written
from acp_trace.protocol import methods
from acp_trace.replay.plan import Plan, Step
from acp_trace.replay.rewriting import Rewriter
from acp_trace.replay.turn_progress import Seen, missing


@dataclass(frozen=True, slots=True)
class Explained:
    """One step. `frame` is None for the end; `bound`: places, and what stands there in a live run."""

    step: int
    frame: int | None
    what: str
    session: str | None
    waits_for: list[str]
    bound: list[str]
    pause_ns: int


def explained(plan: Plan) -> list[Explained]:
    """All steps of a plan."""
    learned = _learned(plan)
    return [
        Explained(
            step.number,
            step.frame,
            _what(plan, step),
            step.said.session if step.said else None,
            list(_waits(plan, step)),
            list(_bound(plan, step, learned)),
            step.pause_ns,
        )
        for step in plan.steps
        if step.said is not None or plan.own == "client"
    ]


def _what(plan: Plan, step: Step) -> str:
    said = step.said
    if said is None:
        return "end"
    if step.answers is not None:
        return f"answer to {plan.recording.at(step.answers).method}"
    return said.method or "a line"


def _waits(plan: Plan, step: Step) -> Iterator[str]:
    at = plan.recording.at
    if step.answers is not None:
        yield f"{at(step.answers).method} of the {plan.live} (#{step.answers})"
        turns = sorted(one for one in step.within if one in plan.recording.turns)
        if turns:
            yield f"given up when the turn of #{turns[0]} is over without it"
        return
    for frame in step.responses:
        yield f"answer to {at(frame).method} (#{frame})"
    for frame in step.over:
        yield f"the end of the turn of #{frame}"
    for frame in step.heard:
        yield f"{at(frame).method} (#{frame})"
    if step.turn is not None:
        seen = ", ".join(missing(step.progress, Seen()))
        yield f"in the turn of #{step.turn}: {seen or 'nothing'}"
    if step.late:
        kinds = ", ".join(sorted({kind for _, kind in step.late}))
        yield f"{kinds}, for a while"


def _bound(plan: Plan, step: Step, learned: dict[tuple[str, str], int]) -> Iterator[str]:
    said = step.said
    if said is None:
        return
    value = said.value
    if step.answers is not None and "id" in value:
        yield f"/id ← the id of {plan.recording.at(step.answers).method}"
    root = "params" if "method" in value else "result"
    for kind, holder, path in ids_in(value, said.method or "", root):
        frame = learned.get((kind, str(holder[path[-1]])))
        if kind == "option":
            yield f"{written(path)} ← the option of the same kind, name or place"
        elif kind == "request":
            yield f"{written(path)} ← the id with which that request was sent"
        elif frame is not None and frame < said.frame:
            yield f"{written(path)} ← the {kind} of #{frame}"
    rewriter = Rewriter()
    for folder in plan.recording.folders:
        rewriter.folders.pair(folder, f"{folder}\0")  # any other name: what changes is what lies in there
    for change in rewriter.message(said)[1]:
        if change.what == "folder":
            yield f"{change.pointer} ← {change.was} from the new folder"


def _learned(plan: Plan) -> dict[tuple[str, str], int]:
    """Where each id that the live side makes up stands first."""
    found: dict[tuple[str, str], int] = {}
    for said in plan.recording.said:
        if said.sender == plan.live:
            root = "params" if said.kind != "response" else "result"
            if root == "params" and said.method in methods.OPENERS:
                continue
            for kind, holder, path in ids_in(said.value, said.method or "", root):
                found.setdefault((kind, str(holder[path[-1]])), said.frame)
    return found
