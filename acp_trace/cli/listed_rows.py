"""The rows of `ls`, printed: of this machine's store, and of the tables of a place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from acp_trace.cli import common

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T")


def print_rows(
    rows: Sequence[T],
    limit: int,
    as_json: Callable[[Sequence[T]], Any],
    table: Callable[..., Text],
    more: str,
    *,
    json: bool,
) -> None:
    """Prints the newest rows, and in the table how many others there are and how to see them.

    `more`: the command as it was typed, without -n.
    """
    shown = rows[:limit] if limit > 0 else rows
    if json:
        common.print_json(as_json(shown))
        return
    if not rows:
        print("no trace has a session", file=sys.stderr)
        return
    console = common.console()
    console.print(table(shown, console.width, cut=console.is_terminal), end="")
    if len(shown) < len(rows):
        console.print(older_line(len(rows) - len(shown), more), style="bright_black", soft_wrap=True)


def older_line(count: int, more: str) -> str:
    """The line that says how many older ones there are, and the command that shows them."""
    from acp_trace.trace.counts import counted

    return f"… and {counted(count, 'older one')}: {more} -n 0"
