"""`acp-trace ls`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import NO_TRACES


def ls(
    limit: Annotated[int, typer.Option("-n", min=0, help="Show the newest N only; 0 shows all.")] = 30,
    json: common.Json = False,
) -> None:
    """List the traces, newest first.

    What waits in the spool is loaded first. In a narrow terminal, ● marks a live trace, ! an
    incomplete one, whose recorder died, and × one whose agent failed or was ended by a signal.
    """
    from acp_trace.report.listing import as_json, listing
    from acp_trace.store.catalog import listings

    home = common.home()
    common.swept(home)
    rows = listings(home)
    shown = rows[:limit] if limit > 0 else rows
    if json:
        common.print_json(as_json(shown))
        return
    if not rows:
        print(NO_TRACES, file=sys.stderr)
        return
    console = common.console()
    console.print(listing(shown, console.width), end="")
    if len(shown) < len(rows):
        console.print(f"… and {len(rows) - len(shown)} older ones: ls -n 0", style="bright_black")
