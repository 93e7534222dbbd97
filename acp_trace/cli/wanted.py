"""The options of `ls` and `stats` that say which traces are meant, and the line about those left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from datetime import datetime

Runs = Annotated[
    bool, typer.Option("--runs", help="Also the runs that replay, mock and the pytest plugin made.")
]


def origins(*, runs: bool) -> tuple[str, ...]:
    """What the traces that are meant may be."""
    from acp_trace.trace.entries import RECORDED, RUNS  # with msgspec, which no start waits for

    return (RECORDED, *RUNS) if runs else (RECORDED,)


def moment(option: str, text: str | None) -> datetime | None:
    """The value of an option that takes an age or a date. Ends with exit code 2 for anything else."""
    from datetime import UTC, datetime

    from acp_trace.store.remove import BadAge
    from acp_trace.store.wanted import moment as moment_of

    try:
        return None if text is None else moment_of(text, datetime.now(UTC))
    except BadAge as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def left_out(count: int) -> str:
    """The line that says how many runs are not among what is shown; empty if there is none."""
    if not count:
        return ""
    runs = "1 run of replay or mock is" if count == 1 else f"{count} runs of replay or mock are"
    return f"{runs} not shown; --runs shows {'it' if count == 1 else 'them'}"
