"""`diff --model`: how much differs, between what, and then each change with its lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from acp_trace.model.comparison import CallComparison
from acp_trace.report.safe import safe
from acp_trace.report.text import prompt_diff, styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.counts import counted

_TRACE = (Column(), Column(flexible=True), Column(), Column(right=True))


class Compared(NamedTuple):
    """A trace that was compared."""

    name: str
    agent: str
    calls: int


def report(traces: Sequence[Compared], found: CallComparison, width: int, *, all_: bool) -> Text:
    """The whole of it; what only tools or models said is counted, and listed with `all_`."""
    both = sum(1 for pair in found.pairs if pair.recorded is not None and pair.actual is not None)
    text = Text(no_wrap=True, end="")
    if found.changes:
        text.append(counted(len(found.changes), "change"), f"{styles.HEADING} {styles.ERROR}")
    else:
        text.append("equal", styles.HEADING)
    text.append(f"  {counted(both, 'call')} compared\n", styles.FAINT)
    changes = [*found.changes, *found.others] if all_ else found.changes
    if changes:
        rows = [
            [
                [Cell(what, styles.FAINT)],
                [Cell(safe(name))],
                [Cell(agent)],
                [Cell(counted(calls, "call"))],
            ]
            for what, (name, agent, calls) in zip(("expected", "actual"), traces, strict=True)
        ]
        text.append("\n").append_text(table(_TRACE, rows, width)).append("\n")
        text.append_text(prompt_diff.listed(changes, width, all_=all_))
    if found.others and not all_:
        more = "more change" if found.changes else "change"
        line = f"{counted(len(found.others), more)} only in what tools or models said: --all"
        text.append("\n" if found.changes else "").append(f" {line}\n", styles.FAINT)
    return text
