"""`acp-trace team push`: traces to a place that a team shares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion, places, signals, trace_options
from acp_trace.cli.errors import NOTHING, Misuse, fail
from acp_trace.team.commands.push_output import print_pushed, say_new

if TYPE_CHECKING:
    from acp_trace.store.sources import Source
    from acp_trace.team.bucket.push import Pushed, Secrets


def push(
    dest: places.Destination,
    traces: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRACE",
            help=f"Traces; by default all of the store. Each is {common.NAMED}.",
            autocompletion=completion.traces,
        ),
    ] = None,
    agent: trace_options.Agent = None,
    client: trace_options.Client = None,
    label: trace_options.Label = None,
    since: trace_options.Since = None,
    until: trace_options.Until = None,
    origin: trace_options.Origin = None,
    runs: trace_options.Runs = False,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Push traces without their secrets, as `redact` writes them."),
    ] = False,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Push traces as they are, even with secrets.")
    ] = False,
    after_recording: Annotated[
        bool | None,
        typer.Option(
            "--after-recording/--not-after-recording",
            help="From now on, push every new recording to DEST in the background; or stop doing so.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Push N traces at the same time.")
    ] = 4,
    json: common.Json = False,
) -> None:
    """Push traces to a directory or a bucket that a team shares.

    A trace that is already there is not sent again, so you can repeat a push, for example after an
    interruption. Nothing in the place is ever replaced. By default a trace in which `redact` finds secrets is
    refused, and the exit code is 1; --redact pushes it without them. Bucket credentials come from the
    environment, as for other tools (docs/team.md).
    """
    from acp_trace.team.bucket.push import Push

    if redact and as_is:
        raise Misuse("give --redact or --as-is, not both")
    options = trace_options.TraceOptions(agent, client, label or (), since, until, origin, runs)
    secrets: Secrets = "redact" if redact else "keep" if as_is else "refuse"
    if after_recording is not None:
        if traces or options.asked:
            raise Misuse("--after-recording is about all recordings: give no traces and no filters")
        _switch(dest, secrets, on=after_recording)
        return
    if traces and options.asked:
        raise Misuse(f"give traces, or filters ({options.asked}), not both")
    sources = _named(traces) if traces else _matching(options)
    done: list[Pushed] = []
    try:
        with places.opened(dest, make=True) as place, _counting("pushing", len(sources)) as tick:
            done.extend(Push(place, secrets).all(sources, jobs, tick))
            is_new = place.is_new
    except (KeyboardInterrupt, signals.Terminated):
        signals.leave()  # Python would wait for threads that wait for the place
        raise
    if is_new:
        say_new(places.url_of(dest))
    print_pushed(places.url_of(dest), done, json=json)


def _switch(dest: str, secrets: Secrets, *, on: bool) -> None:
    """Switches pushes after each recording on, once the place could be opened; or off."""
    from acp_trace.team.bucket import standing

    home = common.home()
    if not on:
        was = standing.switch_off(home)
        typer.echo("recordings are no longer pushed" if was else "recordings were not being pushed")
        return
    with places.opened(dest, make=True) as place:
        before = standing.standing(home)
        standing.switch_on(home, place.url, secrets)
    if place.is_new:
        say_new(place.url)
    left = "" if before is None or before.place == place.url else f", and no longer to {before.place}"
    typer.echo(
        f"recordings are pushed to {place.url} from now on{left}; `acp-trace doctor` shows what"
        " became of them"
    )


def _named(texts: Sequence[str]) -> list[Callable[[], Source]]:
    """The traces that were named. Every name is looked up before anything is sent."""
    from acp_trace.store.catalog import is_path, resolve
    from acp_trace.trace.whole_files import is_special

    home = common.home()
    if not all(map(is_path, texts)):
        common.swept(home)

    def named(text: str) -> Source:
        return places.fetched(text) or resolve(home, text)

    def looked_up(text: str) -> Callable[[], Source]:
        source = named(text)
        if is_special(text):  # a pipe gives what it has once
            return lambda: source
        source.close()
        return partial(named, text)

    return [looked_up(text) for text in texts]


def _matching(options: trace_options.TraceOptions) -> list[Callable[[], Source]]:
    """The traces of the store that pass the filters, oldest first. Ends with exit code 4 if none does."""
    from acp_trace.store.listings import listings
    from acp_trace.store.sources import StoredSource

    wanted = options.filter()
    home = common.home()
    common.swept(home)
    rows = listings(home)
    matching = [row for row in rows if wanted.wants_but_origin(row.trace)]
    traces = [row for row in matching if wanted.wants(row.trace) and row.state != "live"]
    if not traces:
        left_out = 0 if options.origin else sum(not wanted.wants(row.trace) for row in matching)
        fail(trace_options.nothing(len(rows), left_out, options.asked), NOTHING)
    return [partial(StoredSource, home.store, row.id) for row in reversed(traces)]


@contextmanager
def _counting(doing: str, total: int) -> Iterator[Callable[[], None]]:
    """A function to call for each trace that is done: a bar on stderr, in a terminal."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda: bar.advance(task)
