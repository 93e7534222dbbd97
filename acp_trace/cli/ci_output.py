"""What `check`, `diff` and `replay` share of their output for CI: where traces are, and GitHub's lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def path_from_here(trace: str) -> str | None:
    """The file that a TRACE argument names, seen from the working directory; None for an id or an address."""
    from acp_trace.places.address import address_of
    from acp_trace.report.ci.places import relative
    from acp_trace.store.catalog import is_path

    if trace == "-" or not is_path(trace) or address_of(trace) is not None:
        return None
    return relative(os.path.realpath(trace), os.path.realpath(os.curdir))


def address_in_place(trace: str, id_: str) -> str:
    """The address of the trace that a TRACE argument names in a place, which the argument may call `last`.

    Empty for all that is on this machine.
    """
    from acp_trace.places.address import address_of

    address = None if trace == "-" else address_of(trace)
    return "" if address is None else f"{address.rstrip('/').rpartition('/')[0]}/{id_}"


def print_report(console: Console, text: Text, github: Callable[[], Iterable[str]] | None) -> None:
    """Prints a report; with `github`, what it gives: the lines that a workflow's runner obeys."""
    if github is None:
        console.print(text, end="", soft_wrap=True)  # a command is to be copied whole
        return
    from acp_trace.report.ci.annotations import defused

    console.print(defused(text.plain), end="", soft_wrap=True)
    for line in github():
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
