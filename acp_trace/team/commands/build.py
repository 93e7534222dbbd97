"""`acp-trace team build`: the traces of a place as tables for everybody."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, places, trace_options
from acp_trace.cli.errors import UNREADABLE
from acp_trace.team.commands import engines

if TYPE_CHECKING:
    from acp_trace.team.lake.build import BuildProgress, Built

_TOLD = 5


def build(
    dest: places.Destination,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=256,
            help="Use N processes. With Spark, divide the traces of each day into at least N tasks, if there "
            "are enough traces. Default: the number of cores.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="Skip the days before WHEN (2d, 2w, or 2026-11-20): keep the rows of traces that began on "
            "these days, and add no new traces from these days.",
        ),
    ] = None,
    engine: engines.Choice = engines.PROCESSES,
    master: engines.Master = None,
    conf: engines.Conf = None,
    json: common.Json = False,
) -> None:
    """Build the tables of a place, for `team query`.

    Reads the traces of the place that are not in its tables yet, and adds their rows as Parquet files. Can be
    stopped at any time and run by several machines at the same time: each trace is in the tables once. Drops
    the rows of traces that `team prune` removed. If the rules of analysis have changed, replaces the rows
    that older rules made. Exits with 3 if the file of a trace cannot be read: the message names the file, and
    the other traces are added.

    With --engine spark, executors of a Spark cluster read the traces and write the files (docs/team.md).
    """
    from datetime import UTC

    from acp_trace.team.lake import build as building

    began, _ = trace_options.period(since, None)
    day = None if began is None else began.astimezone(UTC).date().isoformat()
    with (
        places.opened(dest) as place,
        engines.engine(engine, place, master, conf, jobs) as (all_done, count),
        _progress() as progress,
    ):
        built = building.build(place, count, progress, engine=all_done, since=day)
    if json:
        from dataclasses import asdict

        failed = [{"key": key, "why": why} for key, why in built.failed.items()]
        common.print_json({"place": places.url_of(dest), **asdict(built), "failed": failed})
    else:
        _say(places.url_of(dest), built)
    _say_unread(built)
    if built.failed:
        raise typer.Exit(UNREADABLE)


def _say(url: str, built: Built) -> None:
    from acp_trace.report import units
    from acp_trace.report.safe import safe
    from acp_trace.trace.counts import counted

    parts = []
    if built.traces:
        parts.append(
            f"{counted(built.traces, 'trace')} built ({units.size(built.bytes)} in {built.files} files)"
        )
    if built.removed:
        parts.append(f"{built.removed} dropped")
    if not parts:
        parts.append("files merged" if built.commits else "nothing to build")
    typer.echo(f"{safe(url)}: {', '.join(parts)}; {counted(built.total, 'trace')} in the tables")


def _say_unread(built: Built) -> None:
    """What could not be read: the first ones by name, and the number of all."""
    from acp_trace.report.safe import safe
    from acp_trace.trace.counts import counted

    if built.damaged:
        named = ", ".join(safe(key.rpartition("/")[2].partition(".")[0]) for key in built.damaged[:_TOLD])
        more = " …" if len(built.damaged) > _TOLD else ""
        text = f"{counted(len(built.damaged), 'trace')} built as far as they can be read: {named}{more}"
        print(f"acp-trace: {text}", file=sys.stderr)
    for key, why in list(built.failed.items())[:_TOLD]:
        print(f"acp-trace: not built: {common.failure(key, why)}", file=sys.stderr)
    if (left := len(built.failed) - _TOLD) > 0:
        print(f"acp-trace: … and {left} more", file=sys.stderr)


@contextmanager
def _progress() -> Iterator[BuildProgress]:
    """A bar on stderr, in a terminal."""
    from acp_trace.team.lake.build import BuildProgress

    if not sys.stderr.isatty():
        yield BuildProgress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("building", total=None)

        class Bar(BuildProgress):
            total = 0

            def begin(self, traces: int) -> None:
                self.total += traces
                bar.update(task, total=self.total)

            def done(self, traces: int) -> None:
                bar.advance(task, traces)

        yield Bar()
