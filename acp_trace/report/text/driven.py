"""A scripted session for people: how it ended, the steps that were not done, what was tried."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from rich.text import Text

from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements.driven import Driven, DrivenPart
from acp_trace.report.statements.replays import faults
from acp_trace.report.text import styles
from acp_trace.report.text.last_output import last_output
from acp_trace.trace.counts import counted

_STYLES = {"refused": styles.OPEN, "unanswered": styles.ERROR, "skipped": styles.FAINT}
_LONGEST_NAME, _LONGEST_WHY = 40, 400


def report(driven: Driven, width: int, *, features: bool) -> Text:
    """The report. `features`: with a table of what the agent announces."""
    text = Text(no_wrap=True, end="")
    ended = "done" if driven.why is None else "ended early"
    style = styles.HEADING if driven.why is None else f"{styles.HEADING} {styles.ERROR}"
    text.append(f"{ended}  ", style).append(
        shorten(safe(driven.agent or "the agent"), _LONGEST_NAME), styles.HEADING
    )
    text.append(f"  {driven.counted}, {counted(driven.frames, 'frame')}\n", styles.FAINT)
    if driven.why is not None:
        text.append(f" {shorten(safe(driven.why), _LONGEST_WHY)}\n", styles.ERROR)
        text.append_text(last_output(driven.logs, len(driven.logs), width))
    if driven.stops:
        text.append(f" turns ended with: {safe(', '.join(driven.stops))}\n", styles.FAINT)
    for fault in faults(driven.faults):
        text.append(f" {safe(fault)}\n", styles.OPEN)
    text.append_text(_table((step for step in driven.steps if step.status != "done"), "step", width))
    if features and driven.features:
        text.append_text(_table(driven.features, "announced", width))
    for note in driven.notes:
        text.append(f" {safe(shorten(note, max(width - 2, 40)))}\n", styles.OPEN)
    trace = driven.trace_id if driven.file is None else shlex.quote(driven.file)
    text.append(f"\n acp-trace show {safe(trace)}\n", styles.FAINT)
    return text


def _table(rows: Iterable[DrivenPart], heading: str, width: int) -> Text:
    """Return names and their outcomes in two columns; nothing if there are none."""
    shown: Sequence[tuple[str, DrivenPart]] = [(shorten(safe(row.name), _LONGEST_NAME), row) for row in rows]
    text = Text(end="")
    if not shown:
        return text
    column = max(len(heading), *(len(name) for name, _ in shown)) + 2
    text.append(f"\n {heading.ljust(column)}outcome\n", styles.FAINT)
    for name, row in shown:
        why = f": {safe(row.why)}" if row.why else ""
        said = shorten(f"{row.status}{why}", max(width - column - 1, 20))
        text.append(f" {name.ljust(column)}").append(f"{said}\n", _STYLES.get(row.status, ""))
    return text
