"""`acp-trace show`."""

from __future__ import annotations

from typing import Annotated

import typer

from acp_trace.cli import common


def show(
    trace: common.Trace = "last",
    all_: Annotated[bool, typer.Option("--all", help="Print long tables whole.")] = False,
    json: common.Json = False,
) -> None:
    """Show what happened in a trace.

    Who talked to whom, what failed, sessions and turns with their timing, latency. Works on a live
    trace as well. The JSON is documented in docs/report.md.
    """
    with common.opened(trace) as source:
        found = source.facts()
        if json:
            from acp_trace.report.document import document

            common.print_json(document(found, live=source.live))
            return
        from acp_trace.report.show import show as print_report

        print_report(common.console(), found, source.damage(), live=source.live, all_=all_)
