"""The outcome of a model's calls, for people: a line of counts, and how the requests differed."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from acp_trace.compare.result import Comparison, Divergence, ModelOutcome, PlacedChange
from acp_trace.model.prompt_diff import PromptDiff
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, paragraph
from acp_trace.report.text.prompt_diff import bodies
from acp_trace.trace.counts import counted

_INDENT = 3


def section(comparison: Comparison, width: int, *, all_: bool) -> Text:
    """The counts, and the differences; empty if the comparison has no model.

    Differences that are listed above are left out, unless all are wanted.
    """
    text = Text(no_wrap=True, end="")
    if comparison.model is None:
        return text
    counted = ", ".join(part.replace(" ", GLUE) for part in _counts(comparison.model))
    text.append(" ").append(paragraph(Text(f"model: {counted}", styles.FAINT), width - 1)).append("\n")
    by_change = {(each.code, each.message): each for each in comparison.divergences}
    placed = [(each, by_change.get((each.change.code, each.message))) for each in comparison.model.placed]
    shown = [each for each in placed if all_ or each[1] is None or _is_shown_here(each[0], each[1])]
    diffs = (_diff(change, all_=all_) for change, _ in shown)
    for (change, divergence), lines in zip(shown, bodies(diffs, width - _INDENT - 2, all_=all_), strict=True):
        text.append_text(_change(change, divergence, width))
        for line in lines:
            indented = Text(" " * (_INDENT + 2)).append_text(line)
            indented.rstrip()
            text.append_text(indented).append("\n")
    return text


def _is_shown_here(placed: PlacedChange, divergence: Divergence) -> bool:
    """Whether a change is listed here too: not if it is a consequence, or a failure without lines."""
    has_lines = placed.change.diff is not None and not placed.refused
    return not divergence.follows and (divergence.severity != "error" or has_lines)


def _diff(placed: PlacedChange, *, all_: bool) -> PromptDiff | None:
    """What is shown line by line. What is most like a call that is not recorded may differ in everything."""
    return None if placed.refused and not all_ else placed.change.diff


def _counts(outcome: ModelOutcome) -> Iterator[str]:
    if outcome.mode is not None:
        yield outcome.mode
    if outcome.mode == "off":
        return
    yield counted(outcome.calls, "call")
    levels = ", ".join(f"{units.number(count)} {level}" for level, count in outcome.matched.items())
    matched = f"{units.number(sum(outcome.matched.values()))} matched"
    yield f"{matched} ({levels})" if levels else matched
    if outcome.unmatched:
        whose = "recording" if outcome.mode is not None else "expected trace"
        yield f"{units.number(outcome.unmatched)} not in the {whose}"
    if outcome.answered or outcome.refused:
        hosts = outcome.answered + outcome.refused
        refused = f" ({units.number(outcome.refused)} refused)" if outcome.refused else ""
        yield f"{counted(hosts, 'other request')}{refused}"


def _change(placed: PlacedChange, divergence: Divergence | None, width: int) -> Text:
    label = "allowed, " if divergence is not None and divergence.allowed else ""
    fails = divergence is not None and divergence.severity == "error"
    line = Text(f"{label}{placed.change.code}", styles.ERROR if fails else "")
    line.append(f"  {safe(placed.message)}", styles.FAINT)
    return Text(" " * _INDENT).append_text(paragraph(line, width - _INDENT, _INDENT + 2)).append("\n")
