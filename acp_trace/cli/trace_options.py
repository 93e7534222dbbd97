"""The options of `ls` and `stats` that say which traces are meant, and what is said about those left out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from acp_trace.cli import common, completion

if TYPE_CHECKING:
    from datetime import datetime

    from acp_trace.store.wanted import TraceFilter

Agent = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only agents whose name or title is NAME, or matches NAME as a glob. Case is ignored. An "
        "agent that gave no name is found by its command, or by `?`.",
    ),
]
Client = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only clients whose name or title is NAME, or matches NAME as a glob. Case is ignored. `?` is a "
        "client that gave no name.",
    ),
]
Label = Annotated[
    list[str] | None,
    typer.Option(metavar="K=V", help="Only traces with this label. Repeatable: a trace must have all."),
]
Since = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="Only traces that began after WHEN: 12h, 30d, 2w, or 2026-11-20."),
]
Until = Annotated[str | None, typer.Option(metavar="WHEN", help="Only traces that began before WHEN.")]
Origin = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        autocompletion=completion.words(completion.origins),
        help="Only traces of this origin: `recorded`, `imported`, `replay` or `mock`.",
    ),
]
Limit = Annotated[int, typer.Option("-n", metavar="N", min=0, help="Show only the newest N; 0 shows all.")]
Sessions = Annotated[bool, typer.Option("--sessions", help="List sessions instead, each with its traces.")]
Runs = Annotated[bool, typer.Option("--runs", help="Include runs of replay, mock and the pytest plugin.")]


class TraceOptions(NamedTuple):
    """What was given."""

    agent: str | None
    client: str | None
    label: Sequence[str]
    since: str | None
    until: str | None
    origin: str | None
    runs: bool

    def filter(self) -> TraceFilter:
        """The filter that they are. Ends with exit code 2 for a value that means nothing."""
        from acp_trace.store.wanted import ORIGINS, TraceFilter
        from acp_trace.trace.entries import ORIGINAL  # with msgspec, which no start waits for

        common.one_of("--origin", self.origin, ORIGINS)
        if self.origin is not None:
            origins: tuple[str, ...] = (self.origin,)
        else:
            origins = ORIGINS if self.runs else ORIGINAL
        since, until = period(self.since, self.until)
        return TraceFilter(
            agent=self.agent,
            client=self.client,
            labels=labels(self.label),
            since=since,
            until=until,
            origins=origins,
        )

    @property
    def asked(self) -> str:
        """What was asked for, for a message: `--agent x and --since 30d`; empty if nothing was."""
        return " and ".join(f"--{name} {text}" for name, text in self._given())

    @property
    def again(self) -> str:
        """The same for a command that asks again: ` --agent 'x y' --runs`; empty if nothing was."""
        from acp_trace.report.safe import safe

        words = [word for name, text in self._given() for word in (f"--{name}", text)]
        return "".join(f" {safe(shlex.quote(word))}" for word in (*words, *["--runs"] * self.runs))

    def _given(self) -> list[tuple[str, str]]:
        """The filters with a value, in the order of the help."""
        pairs = [
            ("agent", self.agent),
            ("client", self.client),
            *(("label", text) for text in self.label),
            ("since", self.since),
            ("until", self.until),
            ("origin", self.origin),
        ]
        return [(name, text) for name, text in pairs if text is not None]


def period(since: str | None, until: str | None) -> tuple[datetime | None, datetime | None]:
    """The times that --since and --until name. Ends with exit code 2 for what names none."""
    return _moment("--since", since), _moment("--until", until)


def labels(texts: Sequence[str]) -> dict[str, str]:
    """The values of `--label K=V`. Ends with exit code 2 for anything else."""
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise typer.BadParameter(f"{text!r} is not of the form K=V", param_hint="--label")
        pairs[key] = value
    return pairs


def nothing(stored: int, left_out: int, filters: str, what: str = "trace") -> str:
    """The message if no trace matches. `stored`: all traces; `left_out`: runs among them, left out."""
    from acp_trace.store.catalog import NO_TRACES, only_runs

    if not stored:
        return NO_TRACES
    if not filters:
        return only_runs(left_out) if left_out else f"there is no {what}"
    from acp_trace.report.safe import safe

    runs = f"; {left_out_line(left_out)}" if left_out else ""
    return f"there is no {what} that matches {safe(filters)}{runs}"


def left_out_line(count: int) -> str:
    """The line with the number of runs that are not shown; empty if there are none."""
    if not count:
        return ""
    from acp_trace.trace.counts import counted

    runs = counted(count, "run of replay or mock is", "runs of replay or mock are")
    return f"{runs} not shown; --runs shows {'it' if count == 1 else 'them'}"


def _moment(option: str, text: str | None) -> datetime | None:
    from datetime import UTC, datetime

    from acp_trace.store.remove import BadAge
    from acp_trace.store.wanted import moment

    try:
        return None if text is None else moment(text, datetime.now(UTC))
    except BadAge as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
