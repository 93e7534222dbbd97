"""`acp-trace ls`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import NO_TRACES

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T")


def ls(
    limit: Annotated[int, typer.Option("-n", min=0, help="Show the newest N only; 0 shows all.")] = 30,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="List sessions, each with all traces that name it.")
    ] = False,
    json: common.Json = False,
) -> None:
    """List the traces, newest first.

    What waits in the spool is loaded first. In a narrow terminal, ● marks a live trace, ! an
    incomplete one, whose recorder died, and × one whose agent failed or was ended by a signal.
    """
    from acp_trace.report import listing, sessionlist
    from acp_trace.store.catalog import listings

    home = common.home()
    common.swept(home)
    traces = listings(home)
    if sessions:
        from acp_trace.analyze.listing import by_session

        found = by_session(traces)
        newest = _newest(found, limit)
        rows, table = sessionlist.as_json(newest), partial(sessionlist.sessionlist, newest)
        left = f"{len(found) - len(newest)} older ones: ls --sessions -n 0" if len(newest) < len(found) else ""
    else:
        shown = _newest(traces, limit)
        rows, table = listing.as_json(shown), partial(listing.listing, shown)
        left = f"{len(traces) - len(shown)} older ones: ls -n 0" if len(shown) < len(traces) else ""
def _newest(rows: list[T], limit: int) -> list[T]:
    return rows[:limit] if limit > 0 else rows


def _print(rows: list[Any], table: Callable[[int], Text], count: int, all_: str, *, json: bool) -> None:
    """The rows as JSON, or in a table that is made for a width; `all_` says how to see all that there are."""
    if json:
        common.print_json(rows)
        return
    console = common.console()
    if rows:
        console.print(table(console.width), end="")
    if len(rows) < count:
        console.print(f"… and {count - len(rows)} older ones: {all_}", style="bright_black")
