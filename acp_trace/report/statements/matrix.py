"""A matrix and its cells, in words: for the terminal, JUnit and the page."""

from __future__ import annotations

from acp_trace.builds.grid import WORDS, Grid, GridCell
from acp_trace.report.safe import safe, shorten

_MOST = 300  #: characters of a message


def total(grid: Grid) -> str:
    """All cells in one line: `5 passed, 1 FAILED, 2 not tried`."""
    counts = grid.counts
    parts = [f"{counts[verdict]} {words}" for verdict, words in WORDS.items() if counts[verdict]]
    return (
        ", ".join([*parts, *([f"{grid.missing} not tried"] if grid.missing else [])]) or "nothing was tried"
    )


def verdict(cell: GridCell) -> str:
    """The verdict in words, with the rate of a flaky one: `flaky, 2 of 3`."""
    words = WORDS[cell.verdict]
    return f"{words}, {cell.passed} of {cell.runs}" if cell.verdict == "flaky" else words


def comparison(grid: Grid, trace: str) -> str:
    """The command that compares the runs between which a recording's outcome changed first; else empty."""
    change = grid.change(trace)
    return "" if change is None else f"acp-trace diff {change[0].run_traces[-1]} {change[1].run_traces[-1]}"


def difference(cell: GridCell) -> str:
    """The first difference, or why there is no verdict, in one line."""
    if cell.why:
        return safe(shorten(cell.why, _MOST))
    return "" if cell.first is None else safe(shorten(f"{cell.first.code}: {cell.first.message}", _MOST))
