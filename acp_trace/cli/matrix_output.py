"""What `matrix` prints and writes: a table, a JSON document, JUnit XML, a page."""

from __future__ import annotations

from dataclasses import dataclass

from acp_trace.builds.grid import Grid
from acp_trace.cli import common, outputs
from acp_trace.cli.errors import unread


@dataclass(frozen=True, slots=True)
class MatrixOutputs:
    """What is written where. A table is printed unless something else has standard output."""

    json: bool = False
    junit: str | None = None
    html: str | None = None


def tell(grid: Grid, how: MatrixOutputs) -> int:
    """Writes and prints what there is; the exit code of the matrix."""
    with unread():
        if how.html is not None:
            from acp_trace.report.page.matrix import page

            outputs.write(how.html, page(grid), private=True)
        if how.junit is not None:
            from acp_trace.report.ci.matrix_junit import junit

            outputs.write(how.junit, junit(grid))
        if how.json:
            from acp_trace.report.json.matrix import document

            common.print_json(document(grid))
        elif "-" not in (how.junit, how.html):
            from acp_trace.report.text.matrix import report

            console = common.console()
            console.print(report(grid, console.width), end="", soft_wrap=True)
    return grid.exit_code
