"""The cancellations section of `show`: a small picture of each, and what else it ended."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.json.report import group
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import GLUE, paragraph

_MOST = 20
_MOST_CASCADE = 8


def cancellations(found: facts.Facts, width: int, *, all_: bool) -> RenderableType:
    """Each in the order of the frames: the cancel, the updates after it, quiet, settled, the cascade."""
    cascades = group(found.cascades, lambda one: (one.cancel_frame, one.target_frame))
    turns = {turn.frame: turn for turn in found.turns}
    shown = found.cancellations if all_ else found.cancellations[:_MOST]
    lines: list[RenderableType] = []
    for one in shown:
        target = one.target_frame
        head = _head(one, None if target is None else turns.get(target))
        lines.append(paragraph(head, width, 5))
        if target is not None:
            lines.append(paragraph(_picture(one), width, 5))
            lines += _tree(cascades.get((one.frame, target), []), one.late_updates, width, all_=all_)
    if left := len(found.cancellations) - len(shown):
        lines.append(Text(f" … and {units.number(left)} more: show --all", words.FAINT))
    return Group(*lines)


def _head(one: facts.Cancellation, turn: facts.Turn | None) -> Text:
    text = Text()
    text.append(f" {units.since_start(one.t_ns)}  ")
    text.append(f"#{one.frame}  ", words.FAINT)
    text.append(f"{words.ARROWS[one.sender]} ", words.COLOURS[one.sender])
    text.append(one.kind, words.HEADING)
    text.append("  ")
    text.append(words.outcome(one.outcome), words.OUTCOMES.get(one.outcome))
    if one.target_frame is not None:
        text.append(f"  {safe(one.target_method or '')} #{one.target_frame}")
    if turn is not None and turn.prompt:
        text.append(f'  turn {turn.turn} "{safe(turn.prompt)}"', words.FAINT)
    return text


def _picture(one: facts.Cancellation) -> Text:
    text = Text()
    text.append("   ")
    if one.kind != "internal":
        text.append("cancel ─▸ ")
    if one.updates_after_cancel:
        quiet = _duration(one.quiesce_ns)
        text.append(f"{words.count(one.updates_after_cancel, 'update')}, the last after {quiet} ─▸ ")
    if one.settled_frame is None:
        text.append("never settled", words.ERROR)
    else:
        after = "" if one.kind == "internal" else f" after {_duration(one.settle_ns)}"
        text.append(f"settled{after}")
        text.append(f" #{one.settled_frame}", words.FAINT)
    return text


def _tree(cascade: list[facts.Cascade], late: int, width: int, *, all_: bool) -> list[Text]:
    shown = cascade if all_ else cascade[:_MOST_CASCADE]
    lines = []
    for one in shown:
        text = Text()
        text.append(f"{words.ARROWS[one.sender]} ", words.COLOURS[one.sender])
        text.append(f"{safe(one.method)} ")
        text.append(f"#{one.frame}  ", words.FAINT)
        text.append(one.outcome, words.OUTCOMES.get(one.outcome))
        if one.settle_ns is not None:
            text.append(f" after {_duration(one.settle_ns)}")
        lines.append(text)
    if left := len(cascade) - len(shown):
        lines.append(Text(f"… and {units.number(left)} more: show --all", words.FAINT))
    if late:
        lines.append(Text(f"{words.count(late, 'late update')} after it had settled", words.OPEN))
    ends = ["├ "] * (len(lines) - 1) + ["└ "]
    return [
        paragraph(Text("   ").append(end).append_text(line), width, 7)
        for end, line in zip(ends, lines, strict=False)
    ]


def _duration(ns: int | None) -> str:
    return units.duration(ns).replace(" ", GLUE)
