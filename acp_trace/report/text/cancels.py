"""The cancellations section of `show`: a small picture of each, and what else it ended."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import phrases
from acp_trace.report.statements.cancels import outcome
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, paragraph
from acp_trace.trace.counts import counted

_MOST = 20
_MOST_CASCADE = 8


def cancellations(trace_facts: facts.Facts, width: int, *, all_: bool) -> RenderableType:
    """Each in the order of the frames: the cancel, the updates after it, quiet, settled, the cascade."""
    cascades = group(trace_facts.cascades, lambda one: (one.cancel_frame, one.target_frame))
    calls = group(trace_facts.model_calls, lambda one: one.cancel_frame)
    turns = {turn.frame: turn for turn in trace_facts.turns}
    names = names_of(trace_facts)
    shown = trace_facts.cancellations if all_ else trace_facts.cancellations[:_MOST]
    lines: list[RenderableType] = []
    for cancellation in shown:
        target = cancellation.target_frame
        head = _head(cancellation, None if target is None else turns.get(target), names)
        lines.append(paragraph(head, width, 5))
        if target is not None:
            lines.append(paragraph(_picture(cancellation), width, 5))
            turn = turns.get(target)
            mine = [
                call
                for call in calls.get(cancellation.frame, ())
                if turn is not None and (call.session_id, call.turn) == (turn.session_id, turn.turn)
            ]
            cascade = cascades.get((cancellation.frame, target), [])
            lines += _tree(cascade, mine, cancellation.late_updates, width, all_=all_)
    if left := len(trace_facts.cancellations) - len(shown):
        lines.append(Text(f" … and {units.number(left)} more: show --all", styles.FAINT))
    return Group(*lines)


def _head(cancellation: facts.Cancellation, turn: facts.Turn | None, names: SessionNames) -> Text:
    text = Text()
    text.append(f" {units.since_start(cancellation.t_ns)}  " if cancellation.t_ns is not None else " ")
    text.append(f"#{cancellation.frame}  ", styles.FAINT)
    text.append(f"{phrases.ARROWS[cancellation.sender]} ", styles.COLOURS[cancellation.sender])
    text.append(cancellation.kind, styles.HEADING)
    text.append("  ")
    text.append(outcome(cancellation.outcome), styles.OUTCOMES.get(cancellation.outcome))
    if cancellation.target_frame is not None:
        text.append(f"  {safe(cancellation.target_method or '')} #{cancellation.target_frame}")
    session = styles.session(names.colour(cancellation.session_id))
    if turn is None and (name := names.beside(cancellation.session_id)):
        text.append(f"  {name}", session)
    if turn is not None and (turn.prompt or names.are_several):
        text.append(f"  {names.label(turn.session_id, turn.turn)}", session)
    if turn is not None and turn.prompt:
        text.append(f' "{phrases.prompt(turn.prompt, is_cut=turn.prompt_cut)}"', styles.FAINT)
    return text


def _picture(cancellation: facts.Cancellation) -> Text:
    text = Text()
    text.append("   ")
    if cancellation.kind != "internal":
        text.append("cancel ─▸ ")
    if cancellation.updates_after_cancel:
        last = cancellation.quiesce_ns
        quiet = "" if last is None else f", the last after {_duration(last)}"
        text.append(f"{counted(cancellation.updates_after_cancel, 'update')}{quiet} ─▸ ")
    if cancellation.settled_frame is None:
        text.append("never settled", styles.ERROR)
    else:
        took = None if cancellation.kind == "internal" else cancellation.settle_ns
        after = "" if took is None else f" after {_duration(took)}"
        text.append(f"settled{after}")
        text.append(f" #{cancellation.settled_frame}", styles.FAINT)
    return text


def _tree(
    cascade: list[facts.Cascade], calls: list[facts.ModelCall], late: int, width: int, *, all_: bool
) -> list[Text]:
    """What else the cancel ended: calls of the model first, because they cost."""
    shown = cascade if all_ else cascade[:_MOST_CASCADE]
    lines = [_call(call) for call in calls]
    for request in shown:
        text = Text()
        text.append(f"{phrases.ARROWS[request.sender]} ", styles.COLOURS[request.sender])
        text.append(f"{safe(request.method)} ")
        text.append(f"#{request.frame}  ", styles.FAINT)
        text.append(request.outcome, styles.OUTCOMES.get(request.outcome))
        if request.settle_ns is not None:
            text.append(f" after {_duration(request.settle_ns)}")
        lines.append(text)
    if left := len(cascade) - len(shown):
        lines.append(Text(f"… and {units.number(left)} more: show --all", styles.FAINT))
    if late:
        lines.append(Text(f"{counted(late, 'late update')} after it had settled", styles.OPEN))
    ends = ["├ "] * (len(lines) - 1) + ["└ "]
    return [
        paragraph(Text("   ").append(end).append_text(line), width, 7)
        for end, line in zip(ends, lines, strict=False)
    ]


def _call(call: facts.ModelCall) -> Text:
    """A call of the model that was open: how it ended, how long after, and what still came."""
    text = Text(f"model call {call.call}  ", styles.FAINT)
    if call.duration_ns is None:
        text.append("never ended", styles.ERROR)
    elif call.aborted:
        text.append("aborted")
    elif call.error is not None:
        text.append("failed", styles.OPEN)
    else:
        text.append("ran to its end", styles.OPEN)
    if call.cancel_to_end_ns is not None:
        text.append(f" after {_duration(call.cancel_to_end_ns)}")
    if call.output_after_cancel:
        came = counted(call.output_after_cancel, "character").replace(" ", GLUE)
        text.append(f"; {came}")
        if call.tokens_after_cancel:
            text.append(f" ({counted(call.tokens_after_cancel, 'token')})".replace(" ", GLUE))
        text.append(f" still{GLUE}came")
    return text


def _duration(ns: int | None) -> str:
    return units.duration(ns).replace(" ", GLUE)
