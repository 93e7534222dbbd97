"""Each cancel as the page draws it: what came after it until when, in words with links. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.page.documents import CancelBar, DrawnCancel, Words
from acp_trace.report.page.late_updates import LateUpdates
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import phrases
from acp_trace.report.statements.cancels import outcome
from acp_trace.trace.counts import counted

_PROMPT = 60


class DrawnCancels:
    """The cancels of a trace, whose frames come in their order: some of what they say is looked for there."""

    def __init__(self, trace_facts: facts.Facts) -> None:
        self._names = names_of(trace_facts)
        self._facts = trace_facts
        self._late = LateUpdates(trace_facts)
        self._turns = {turn.frame: turn for turn in trace_facts.turns}
        self._cascades: dict[tuple[int, int | None], list[facts.Cascade]] = group(
            trace_facts.cascades, lambda one: (one.cancel_frame, one.target_frame)
        )
        self._watched: dict[str, list[facts.Cancellation]] = {}
        self._last: dict[tuple[int, int | None], int] = {}  #: the last update before the target settled
        for cancel in trace_facts.cancellations:
            turn = self._turns.get(cancel.target_frame or 0)
            if turn is not None and cancel.updates_after_cancel:
                self._watched.setdefault(turn.session_id, []).append(cancel)

    def add(self, frames: Collection[Frame]) -> None:
        """The next frames. In most traces, there is nothing to look for."""
        if self._late.are_any:
            for frame in frames:
                self._late.add(frame)
        if self._watched:
            for frame in frames:
                self._add(frame)

    def _add(self, frame: Frame) -> None:
        if frame.update is None:
            return
        for cancel in self._watched.get(frame.session_id or "", ()):
            if cancel.frame < frame.frame and frame.frame < (cancel.settled_frame or frame.frame + 1):
                self._last[cancel.frame, cancel.target_frame] = frame.frame

    def document(self) -> list[DrawnCancel]:
        """All cancels, in their order; `late`: the updates that came after the target had settled."""
        late = self._late.found()
        return [
            {
                "session_id": cancel.session_id,
                "frame": cancel.frame,
                "t_ns": cancel.t_ns,
                "kind": "by the agent itself"
                if cancel.kind == "internal"
                else f"{safe(cancel.kind)} by the {cancel.sender}",
                "outcome": outcome(cancel.outcome),
                "mood": "good" if cancel.outcome == "cancelled" else "odd",
                "of": self._of(cancel),
                "bars": list(self._bars(cancel)),
                "late_updates": cancel.late_updates,
                "late": late.get((cancel.frame, cancel.target_frame), []),
            }
            for cancel in self._facts.cancellations
        ]

    def _of(self, cancel: facts.Cancellation) -> Words:
        """The target of a cancel, and the words before an end without a cancel."""
        if cancel.target_frame is None:
            return []
        said: Words = [f" {safe(cancel.target_method or '')} ", cancel.target_frame]
        turn = self._turns.get(cancel.target_frame)
        if turn is None:
            return said
        prompt = phrases.prompt(turn.prompt or "", is_cut=turn.prompt_cut, blanks=True)
        said.append(f" · {self._names.heading(turn.session_id, turn.turn)} {shorten(prompt, _PROMPT)}")
        refused = [
            each.frame
            for each in self._facts.permissions
            if (each.session_id, each.turn) == (turn.session_id, turn.turn)
            and (each.outcome == "cancelled" or (each.option_kind or "").startswith("reject"))
        ]
        is_own = cancel.kind == "internal" and refused
        return [*said, " · after the refused permission ", refused[-1]] if is_own else said

    def _bars(self, cancel: facts.Cancellation) -> Iterator[CancelBar]:
        key = cancel.frame, cancel.target_frame
        if cancel.updates_after_cancel:
            updates = counted(cancel.updates_after_cancel, "update")
            if cancel.t_ns is not None:
                updates += f", at {units.since_start(cancel.t_ns + (cancel.quiesce_ns or 0))} s"
            last = [self._last[key]] if key in self._last else []
            yield CancelBar(["last update after cancel ", *last], cancel.quiesce_ns, updates, "updates")
        turn = self._turns.get(cancel.target_frame or 0)
        for call in self._facts.model_calls:
            is_of = turn is not None and (call.session_id, call.turn) == (turn.session_id, turn.turn)
            if call.cancel_frame == cancel.frame and is_of:
                yield _call(call)
        for each in self._cascades.get((cancel.frame, cancel.target_frame), ()):
            yield CancelBar([f"{safe(each.method)} ", each.frame], each.settle_ns, each.outcome, each.sender)
        if cancel.target_frame is not None:
            settled: Words = ["settled ", cancel.settled_frame] if cancel.settled_frame else ["never settled"]
            kind = "settled" if cancel.outcome == "cancelled" else "odd"
            yield CancelBar(settled, cancel.settle_ns, outcome(cancel.outcome), kind)


def _call(call: facts.ModelCall) -> CancelBar:
    ended = "aborted" if call.aborted else "never ended" if call.cancel_to_end_ns is None else "not aborted"
    output = call.output_after_cancel
    still = f", {counted(output, 'character')} still came" if output else ""
    name: Words = [("model", {"call": str(call.call)}, f"model call {call.call}")]
    return CancelBar(name, call.cancel_to_end_ns, ended + still, "model" if call.aborted else "model odd")
