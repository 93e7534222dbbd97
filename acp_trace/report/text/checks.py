"""A verdict for people: the first line says whether anything fails.

The findings of one code and trace are one entry, with the first message; `check_document` has all.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.budgets.grammar import Outcome
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.verdict import Checked, Group, Verdict
from acp_trace.report import units
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.statements.checks import missing, plural, reached, summary, who, without_times
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.report.text.crashes import CRASH, left_open, with_it

_ENDLESS = 10_000  #: columns of a line that nobody has to see at once


def report(verdict: Verdict, places: Sequence[Place], width: int, *, all_: bool, cut: bool = True) -> Text:
    """The verdict, each trace with what fails in it, the budgets; `all_` lists what does not fail as well.

    Without `cut`, a long name or budget goes over the line's end.
    """
    text = Text(no_wrap=True, end="")
    text.append(summary(verdict), styles.HEADING if verdict.ok else f"{styles.HEADING} {styles.ERROR}")
    text.append("\n\n")
    hidden = 0
    heads = table(_TRACE, _traces(verdict.traces, width if cut else _ENDLESS), width, cut=cut).split("\n")
    consequences = [_consequences(checked, all_=all_) for checked in verdict.traces]
    shown = [
        _shown(checked, with_crash, all_=all_)
        for checked, with_crash in zip(verdict.traces, consequences, strict=True)
    ]
    rows = table(_GROUP, [_group(group) for groups in shown for group in groups], width, indent=3)
    lines = iter(rows.split("\n"))
    for checked, head, groups, with_crash in zip(verdict.traces, heads, shown, consequences, strict=False):
        text.append_text(head).append("\n")
        hidden += sum(len(group.findings) for group in checked.groups)
        hidden -= sum(len(group.findings) for group in groups) + len(with_crash)
        for group in groups:
            text.append_text(next(lines)).append("\n")
            below = [safe(group.findings[0].message), with_it(with_crash) if group.code == CRASH else ""]
            for line in (line for part in below for line in textwrap.wrap(part, max(width - 7, 20))):
                text.append(f"       {line}\n")
    left_out = sum(checked.left_out for checked in verdict.traces)
    if left_out:
        other = "client" if verdict.side == "agent" else "agent"
        count = "1 finding does" if left_out == 1 else f"{units.number(left_out)} findings do"
        text.append(f"\n {count} not count: by the {other}\n", styles.FAINT)
    if hidden:
        count = "1 finding does" if hidden == 1 else f"{units.number(hidden)} findings do"
        text.append(f"\n {count} not fail: --all\n", styles.FAINT)
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
    """One row a trace. Where there is no room, a name loses its beginning: the end tells files apart."""
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
    counts = ", ".join(part for word in SEVERITIES if (part := plural(checked.count(word), word)))
    return counts or "no findings"


def _consequences(checked: Checked, *, all_: bool) -> list[facts.Finding]:
    """What stands under a crash that fails, and not for itself."""
    if all_ or not any(group.fails and group.code == CRASH for group in checked.groups):
        return []
    return left_open(finding for group in checked.groups for finding in group.findings)


def _shown(checked: Checked, consequences: Sequence[facts.Finding], *, all_: bool) -> list[Group]:
    """The groups that are listed, without what stands under a crash."""
    dependent = frozenset(consequences)
    groups = [
        replace(group, findings=[finding for finding in group.findings if finding not in dependent])
        for group in checked.groups
        if group.fails or all_
    ]
    return [group for group in groups if group.findings]


def _group(group: Group) -> list[list[Cell]]:
    return [
        [
            Cell("!" if group.fails else " "),
            Cell(f" {group.severity}", styles.SEVERITIES.get(group.severity)),
        ],
        [Cell(safe(group.code))],
        [Cell(safe(group.side), styles.COLOURS.get(group.side))],
        [Cell(f"{units.number(group.seen)}×" if group.seen > 1 else "")],
        [Cell(f"#{_at(group)}", styles.FAINT)],
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
