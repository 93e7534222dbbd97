"""`acp-trace ls --at DEST`: the traces of a place, by their names alone."""

from __future__ import annotations

import shlex
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from acp_trace.cli import common, places
from acp_trace.cli.errors import Misuse

if TYPE_CHECKING:
    from acp_trace.bucket.layout import Kept
    from acp_trace.cli.trace_options import TraceOptions


def ls_at(dest: str, options: TraceOptions, limit: int, *, sessions: bool, json: bool) -> None:
    """Prints them, the newest first: the first `limit`, all if that is 0."""
    from acp_trace.bucket.pull import kept_in

    if sessions or options.client or options.label or options.origin or options.runs:
        raise Misuse(
            "with --at, only --agent, --since and --until choose, as names of objects say no more; "
            "`acp-trace query --at DEST SQL` asks for all else"
        )
    with places.opened(dest) as place:
        every = kept_in(place)
    traces = [each for each in every if _is_wanted(each, options)]
    shown = traces[:limit] if limit > 0 else traces
    if json:
        common.print_json(
            [{"id": e.id, "day": e.day, "agent": e.agent, "key": e.key, "bytes": e.size} for e in shown]
        )
    elif traces:
        _print(shown, len(traces), dest)
    else:
        matching = f" that matches {options.asked}" if every else ""
        print(f"{places.url_of(dest)} has no trace{matching}", file=sys.stderr)


def _is_wanted(trace: Kept, options: TraceOptions) -> bool:
    from acp_trace.bucket import layout

    wanted = options.filter()
    if wanted.agent is not None:
        pattern = wanted.agent.lower()
        if not (fnmatchcase(trace.agent, pattern) or trace.agent == layout.slug(pattern)):
            return False
    if wanted.since is None and wanted.until is None:
        return True
    began = layout.began(trace.id)
    return (
        began is not None
        and (wanted.since is None or began >= wanted.since)
        and (wanted.until is None or began < wanted.until)
    )


def _print(shown: list[Kept], total: int, dest: str) -> None:
    from acp_trace.bucket import layout
    from acp_trace.report import units
    from acp_trace.report.safe import safe
    from acp_trace.report.text.columns import Cell, Column, table
    from acp_trace.trace.names import short

    columns = [Column("id"), Column("when"), Column("agent", flexible=True), Column("packed", right=True)]
    rows = []
    for each in shown:
        began = layout.began(each.id)
        when = units.when(began.isoformat()) if began else "?"
        cells = (safe(short(each.id)), when, safe(each.agent), units.size(each.size))
        rows.append([[Cell(text)] for text in cells])
    console = common.console()
    console.print(table(columns, rows, console.width, indent=0, cut=console.is_terminal), end="")
    if left := total - len(shown):
        console.print(
            f"… and {left} older ones: acp-trace ls --at {safe(shlex.quote(dest))} -n 0", style="bright_black"
        )
