"""What `matrix` prints and writes: a table, a JSON document, JUnit XML, a page."""

from __future__ import annotations

from acp_trace.builds.grid import Grid
from acp_trace.cli import common, outputs
from acp_trace.cli.errors import unread
from acp_trace.cli.reports import Reports


def tell(grid: Grid, reports: Reports) -> int:
    """Writes and prints what was asked for; the exit code of the matrix."""
    with unread():
        if reports.html is not None:
            from acp_trace.report.page.matrix import page

            outputs.write(reports.html, page(grid), private=True)
        reports.write(lambda: _document(grid), junit=lambda: _junit(grid))
        if reports.leaves_text:
            from acp_trace.report.text.matrix import report

            console = common.console()
            console.print(report(grid, console.width), end="", soft_wrap=True)
    return grid.exit_code


def _document(grid: Grid) -> object:
    from acp_trace.report.json.matrix import document

    return document(grid)


def _junit(grid: Grid) -> bytes:
    from acp_trace.report.ci.matrix_junit import junit

    return junit(grid)
