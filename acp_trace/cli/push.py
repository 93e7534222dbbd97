"""`acp-trace push` and `acp-trace pull`: traces to a place that a team shares, and from it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, completion, outputs, places, signals, trace_options
from acp_trace.cli.errors import DIFFERS, UNREADABLE, USAGE, Misuse, fail

if TYPE_CHECKING:
    from acp_trace.bucket.layout import Kept
    from acp_trace.bucket.objects import SharedPlace
    from acp_trace.bucket.push import Pushed, Secrets
    from acp_trace.store.sources import Source


def push(
    dest: places.Destination,
    traces: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRACE",
            help="Trace files, or ids; by default all traces of the store.",
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
        bool, typer.Option("--redact", help="Push traces with secrets without them, as `redact` writes them.")
    ] = False,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Push traces as they are, also those with secrets.")
    ] = False,
    after_recording: Annotated[
        bool | None,
        typer.Option(
            "--after-recording/--not-after-recording",
            help="From now on, push every new recording to DEST in the background; or no more.",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Push N traces at a time.")] = 4,
    json: common.Json = False,
) -> None:
    """Push traces to a directory or a bucket that a team shares.

    A trace that is there already is not sent again, so pushing twice, or after a break, costs next to
    nothing. Nothing in the place is ever replaced. By default a trace in which `redact` finds secrets is
    refused, and the exit code is 1; --redact pushes it without them. What gives access to a bucket is in the
    environment, as for other tools (docs/team.md).
    """
    from acp_trace.bucket.push import Push

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
        _say_new(places.url_of(dest))
    _report(places.url_of(dest), done, json=json)


def pull(
    dest: places.Destination,
    traces: Annotated[
        list[str],
        typer.Argument(
            metavar="ID", help="Ids of traces, unique beginnings or ends of them, `last` or `last~2`."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="Write the trace to FILE, which must not exist, or each to a file in DIR.",
        ),
    ] = None,
    json: common.Json = False,
) -> None:
    """Pull traces from a place into the store, or into files.

    To look at one without keeping it, give its address to any command: `acp-trace show DEST/ID`.
    """
    from acp_trace.bucket.pull import BadObject, find
    from acp_trace.report.safe import safe

    if out is not None and not out.is_dir():
        if len(traces) > 1:
            raise Misuse("several traces need a directory: --out DIR")
        outputs.must_be_new("--out", out)
    rows = []
    with places.opened(dest) as place:
        for kept in [find(place, text) for text in dict.fromkeys(traces)]:
            try:
                where, why = _to_store(place, kept) if out is None else (_to_file(place, kept, out), None)
            except BadObject as error:  # which stops no other
                where, why = "failed", str(error)
            rows.append({"id": kept.id, "key": kept.key, "state": where, "why": why})
    if json:
        common.print_json({"place": places.url_of(dest), "pulled": rows})
    for row in rows:
        if row["why"] is not None:
            print(f"acp-trace: {safe(row['why'])}", file=sys.stderr)
        elif not json:
            typer.echo(f"{row['id']}  {row['state']}")
    if any(row["why"] is not None for row in rows):
        raise typer.Exit(UNREADABLE)


def _switch(dest: str, secrets: Secrets, *, on: bool) -> None:
    """Switches pushes after each recording on, once the place could be opened; or off."""
    from acp_trace.bucket import standing

    home = common.home()
    if not on:
        was = standing.switch_off(home)
        typer.echo("recordings are no longer pushed" if was else "recordings were not pushed")
        return
    with places.opened(dest, make=True) as place:
        standing.switch_on(home, place.url, secrets)
    if place.is_new:
        _say_new(place.url)
    typer.echo(
        f"recordings are pushed to {place.url} from now on; `acp-trace where` shows what became of them"
    )


def _say_new(url: str) -> None:
    """That this was no place until now: an address may be mistyped, or a share not mounted."""
    from acp_trace.report.safe import safe

    print(f"acp-trace: {safe(url)} is a new place for traces", file=sys.stderr)


def _to_file(place: SharedPlace, kept: Kept, out: Path) -> str:
    from acp_trace.bucket import pull as pulling
    from acp_trace.trace import whole_files
    from acp_trace.trace.os_errors import reason

    path = out / f"{kept.id}.jsonl" if out.is_dir() else out
    try:
        whole_files.put(path, pulling.lines(place, kept), private=True, new=True)
    except OSError as error:
        fail(f"{path} cannot be written: {reason(error)}", USAGE)
    return f"written to {path}"


def _to_store(place: SharedPlace, kept: Kept) -> tuple[str, str | None]:
    """What became of it, and why it failed."""
    from acp_trace.bucket import pull as pulling
    from acp_trace.store.sweep import load_files
    from acp_trace.trace import whole_files
    from acp_trace.trace.scratch import scratch

    with scratch() as directory, common.progress("importing") as tick:
        path = directory / f"{kept.id}.jsonl"
        whole_files.put(path, pulling.lines(place, kept), private=True)
        swept = load_files(common.home(), [path], tick=tick)
    for _, why in swept.failed:
        return "failed", f"{kept.id}: {why}"
    return swept.loaded[0].state, None


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
    from acp_trace.cli.errors import NOTHING
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


def _report(url: str, done: Sequence[Pushed], *, json: bool) -> None:
    by_state: dict[str, list[Pushed]] = {}
    for one in done:
        by_state.setdefault(one.state, []).append(one)
    if json:
        common.print_json({"place": url, "traces": [_as_json(one) for one in done]})
    else:
        _say(url, by_state)
    for one in by_state.get("failed", ()):
        print(f"acp-trace: {one.id}: {one.why}", file=sys.stderr)
    if refused := by_state.get("refused"):
        _say_refused(refused)
    if "failed" in by_state:
        raise typer.Exit(UNREADABLE)
    if "refused" in by_state:
        raise typer.Exit(DIFFERS)


def _as_json(one: Pushed) -> dict[str, Any]:
    return {**one._asdict(), "rules": list(one.rules)}


def _say(url: str, by_state: dict[str, list[Pushed]]) -> None:
    """One line: what was sent, and what was there."""
    from acp_trace.report import units
    from acp_trace.report.safe import safe
    from acp_trace.report.text.words import count

    pushed, there = by_state.get("pushed", []), by_state.get("there", [])
    parts = [f"{count(len(pushed), 'trace')} pushed"]
    if pushed:
        size, packed = sum(one.bytes for one in pushed), sum(one.packed_bytes for one in pushed)
        parts[0] += f" ({units.size(packed)}; {units.size(size)} unpacked)"
    if there:
        parts.append(f"{len(there)} there already")
    if live := by_state.get("live"):
        parts.append(f"{len(live)} still being recorded")
    typer.echo(f"{safe(url)}: {', '.join(parts)}")


def _say_refused(refused: Sequence[Pushed]) -> None:
    """Which traces contain secrets, the first ones by name; and what to do."""
    from acp_trace.report.safe import safe
    from acp_trace.report.text.words import count

    for one in refused[:5]:
        print(
            f"acp-trace: {safe(one.id)} contains {count(one.secrets, 'secret')} ({', '.join(one.rules)})",
            file=sys.stderr,
        )
    told = f"{count(len(refused), 'trace')} refused: --redact pushes without secrets, --as-is with them"
    print(f"acp-trace: {told}", file=sys.stderr)
