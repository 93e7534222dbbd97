"""A verdict for people: the first line says whether anything fails.

The findings of one code and trace are one entry, with the first message; `check_document` has all.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from acp_trace.analyze.budgets.grammar import Outcome
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.verdict import Checked, Group, Verdict
from acp_trace.report import units
from acp_trace.report.ci.places import Place
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.statements import consequences, phrases
from acp_trace.report.statements.checks import is_empty, missing, plural, reached, summary, who, without_times
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.counts import counted

_ENDLESS = 10_000  #: columns of a line that need not be visible at once


def report(verdict: Verdict, places: Sequence[Place], width: int, *, all_: bool, cut: bool = True) -> Text:
    """The verdict, each trace with what fails in it, the budgets; `all_` lists what does not fail as well.

    Without `cut`, a long name or budget goes over the line's end.
    """
    text = Text(no_wrap=True, end="")
    text.append(summary(verdict), styles.HEADING if verdict.ok else f"{styles.HEADING} {styles.ERROR}")
    text.append("\n\n")
    if (empty := [one for one in verdict.traces if phrases.is_empty(one.trace)]) and is_empty(verdict):
        text.append(f" {phrases.after_nothing(empty[0].trace)}\n", styles.FAINT)
    hidden = 0
    heads = table(_TRACE, _traces(verdict.traces, width if cut else _ENDLESS), width, cut=cut).split("\n")
    shown = [_shown(checked, all_=all_) for checked in verdict.traces]
    rows = table(_GROUP, [_row(kind) for groups in shown for kind in groups], width, indent=3)
    lines = iter(rows.split("\n"))
    for checked, head, groups in zip(verdict.traces, heads, shown, strict=False):
        text.append_text(head).append("\n")
        hidden += 0 if all_ else sum(len(group.findings) for group in checked.groups if not group.fails)
        followed = {} if all_ else consequences.by_cause(checked.consequences)
        for kind in groups:
            text.append_text(next(lines)).append("\n")
            follow = [one for cause in kind.findings for one in followed.pop(cause.frame, ())]
            first = kind.findings[0]
            below = [safe(first.message) + consequences.cause(first), consequences.phrase(follow)]
            for line in (line for part in below for line in textwrap.wrap(part, max(width - 7, 20))):
                text.append(f"       {line}\n")
    left_out = sum(checked.left_out for checked in verdict.traces)
    if left_out:
        other = "client" if verdict.side == "agent" else "agent"
        count = counted(left_out, "finding does", "findings do")
        text.append(f"\n {count} not count: by the {other}\n", styles.FAINT)
    if hidden:
        count = counted(hidden, "finding does", "findings do")
        text.append(f"\n {count} not fail the check: --all\n", styles.FAINT)
    if verdict.budgets:
        text.append("\n ").append("Budgets", f"{styles.HEADING} underline").append("\n")
        budgets = table(_BUDGET, [_budget(outcome) for outcome in verdict.budgets], width, cut=cut)
        head, *rest = budgets.split("\n")
        text.append_text(head).append("\n")
        for budget, row in zip(verdict.budgets, rest, strict=False):
            text.append_text(row).append("\n")
            if more := _more(budget, verdict):
                text.append(f"   {more}\n", styles.FAINT)
    if opens := _opens(verdict, places):
        text.append(f"\n {safe(opens)}\n", styles.FAINT)
    return text


_TRACE = (Column(), Column(flexible=True), Column(), Column())
_GROUP = (Column(), Column(), Column(), Column(right=True), Column())
_BUDGET = (
    Column("budget", flexible=True),
    Column("reached", right=True),
    Column("n", right=True),
    Column(),
)


def _traces(traces: Sequence[Checked], width: int) -> list[list[list[Cell]]]:
    """One row a trace. If there is no room, a name loses its beginning: the ends of file names differ."""
    cells = [(who(checked.trace), _counts(checked), missing(checked)) for checked in traces]
    others = sum(max(map(cell_len, column)) for column in zip(*cells, strict=True))
    room = max(width - others - 7, 16)
    return [
        [
            [Cell(phrases.short_id(one.name, room), styles.HEADING)],
            [Cell(agent)],
            [Cell(counts)],
            [Cell(gone, styles.OPEN)],
        ]
        for one, (agent, counts, gone) in zip(traces, cells, strict=True)
    ]


def _counts(checked: Checked) -> str:
    trace = checked.trace
    if phrases.is_empty(trace) and trace.error is None and not (checked.live or checked.groups):
        return phrases.NOTHING_RECORDED
    counts = ", ".join(part for word in SEVERITIES if (part := plural(checked.count(word), word)))
    return counts or "no findings"


def _shown(checked: Checked, *, all_: bool) -> list[Group]:
    """What is listed: with `all_` also what does not fail, and what follows from something else."""
    if not all_:
        return [kind for kind in checked.groups if kind.fails]
    by_code = group(checked.consequences, lambda one: one.code)
    return checked.groups + [Group(code, mine[0].severity, False, mine) for code, mine in by_code.items()]


def _row(of: Group) -> list[list[Cell]]:
    return [
        [
            Cell("!" if of.fails else " "),
            Cell(f" {of.severity}", styles.SEVERITIES.get(of.severity)),
        ],
        [Cell(safe(of.code))],
        [Cell(safe(of.side), styles.COLOURS.get(of.side))],
        [Cell(f"{units.number(of.seen)}×" if of.seen > 1 else "")],
        [Cell(phrases.address(of.findings[0]), styles.FAINT)],
    ]


def _budget(outcome: Outcome) -> list[list[Cell]]:
    return [
        [Cell(safe(outcome.budget.text))],
        [Cell(reached(outcome))],
        [Cell(units.number(outcome.n))],
        [Cell("ok")] if outcome.ok else [Cell("FAILED", styles.ERROR)],
    ]


def _more(outcome: Outcome, verdict: Verdict) -> str:
    """What decided a missed budget, and what never came to an end."""
    parts = [f"{units.number(outcome.open)} never ended"] if outcome.open else []
    if not outcome.ok and outcome.frame is not None and outcome.trace is not None:
        parts.insert(0, f"#{outcome.frame} of {safe(verdict.traces[outcome.trace].name)}")
    if outcome.without_times and (outcome.value is not None or outcome.without_times < len(verdict.traces)):
        parts.append(without_times(outcome))
    return ", ".join(parts)


def _opens(verdict: Verdict, places: Sequence[Place]) -> str:
    """How to look at the first failure."""
    for outcome, place in zip(verdict.traces, places, strict=True):
        if (
            outcome.groups
            and outcome.groups[0].fails
            and _at(outcome.groups[0])  # what is about no frame has no neighbours
            and (opens := place.opens(outcome.name, _at(outcome.groups[0])))
        ):
            return opens
    for bad in verdict.budgets:
        if bad.ok or bad.frame is None or bad.trace is None:
            continue
        if opens := places[bad.trace].opens(verdict.traces[bad.trace].name, bad.frame):
            return opens
    return ""


def _at(group: Group) -> int:
    return group.findings[0].frame
