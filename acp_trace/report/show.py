"""`acp-trace show` for people: the sections in their order. What each shows stands in its module."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import words
from acp_trace.report.latency import latency
from acp_trace.report.overview import overview
from acp_trace.report.trouble import trouble
from acp_trace.report.turns import sessions


def show(
    console: Console, found: facts.Facts, damage: Sequence[tuple[int, str]], *, live: bool, all_: bool = False
) -> None:
    """Prints the report of one trace; `all_` prints long tables whole."""
    width = console.width
    console.print(overview(found.trace, damage, live=live, width=width))
    count, more, table = trouble(found, width, all_=all_, live=live)
    if count:
        _heading(console, f"Failed or {'still open' if live else 'never ended'}  {count}")
        console.print(table, end="")
        if more:
            console.print(Text(f" … and {more} more: show --all", words.FAINT))
    if found.sessions:
        _heading(console, f"Sessions  {len(found.sessions)}")
        console.print(sessions(found, width, all_=all_))
    if found.exchanges:
        _heading(console, "Latency")
        console.print(latency(found, width), end="")


def _heading(console: Console, text: str) -> None:
    console.print(Text(f"\n {text}", f"{words.HEADING} underline"))
