"""A matrix for people: for each recording a row a build, then each build as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from acp_trace.builds.grid import Grid, GridCell, Verdict, median_of
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements.matrix import comparison, difference, total, verdict
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.counts import counted

_ROW = (
    Column(),
    Column("build"),
    Column("verdict"),
    Column("time", right=True),
    Column("turn", right=True),
    Column("tokens", right=True),
    Column("first difference", flexible=True, wraps=True),
)
_BUILD = (
    Column(),
    Column("build"),
    Column("passed"),
    Column("median turn", right=True),
    Column("median tokens", right=True),
)
_STYLES: dict[Verdict, str | None] = {"passed": None, "flaky": styles.OPEN, "nothing": styles.OPEN}


def report(grid: Grid, width: int) -> Text:
    """All of it."""
    text = Text(no_wrap=True, end="")
    for trace in grid.traces:
        if cells := grid.of_trace(trace):
            text.append(f"{safe(trace)}\n", styles.HEADING)
            text.append_text(table(_ROW, [_row(grid, cell) for cell in cells], width))
            if command := comparison(grid, trace):
                text.append(f" {safe(command)}\n", styles.FAINT)
            text.append("\n")
    if len(grid.traces) > 1:
        text.append_text(table(_BUILD, _builds(grid), width)).append("\n")
    text.append(f"{total(grid)}\n", styles.HEADING)
    if any(grid.mark(cell) for cell in grid.listed):
        text.append(" * new since the last matrix, ! changed since then\n", styles.FAINT)
    return text


def _row(grid: Grid, cell: GridCell) -> Sequence[Sequence[Cell]]:
    return [
        [_mark(grid, cell)],
        [Cell(safe(cell.build))],
        [Cell(verdict(cell), _STYLES.get(cell.verdict, styles.ERROR))],
        [Cell("" if cell.took_ns is None else units.brief(cell.took_ns))],
        [Cell("" if cell.turn_ns is None else units.brief(cell.turn_ns))],
        [Cell("" if cell.tokens is None else units.number(cell.tokens))],
        [Cell(difference(cell))],
    ]


def _mark(grid: Grid, cell: GridCell) -> Cell:
    mark = grid.mark(cell)
    return Cell({"new": "*", "changed": "!"}.get(mark or "", ""), styles.OPEN)


def _builds(grid: Grid) -> list[Sequence[Sequence[Cell]]]:
    rows: list[Sequence[Sequence[Cell]]] = []
    for build in grid.builds:
        cells = grid.of_build(build)
        if not cells:
            continue
        passed = sum(cell.verdict == "passed" for cell in cells)
        turn, tokens = median_of(cells, "turn_ns"), median_of(cells, "tokens")
        rows.append(
            [
                [Cell("")],
                [Cell(safe(build))],
                [Cell(f"{passed} of {counted(len(cells), 'recording')}")],
                [Cell("" if turn is None else units.brief(turn))],
                [Cell("" if tokens is None else units.number(tokens))],
            ]
        )
    return rows
