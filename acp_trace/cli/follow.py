"""`acp-trace frames --follow`, and `follow`, its older name."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion
from acp_trace.cli.errors import NOTHING, UNREADABLE, fail
from acp_trace.cli.filtering import Where, asked_for
from acp_trace.cli.follow_printer import Printer, Watched

if TYPE_CHECKING:
    from acp_trace.report.filters import Filter
    from acp_trace.trace.entries import Entry

#: How often to look whether a recorder died, which changes no file (ms).
_LOOK_MS = 500


All = Annotated[bool, typer.Option("--all", help="Every live trace, including those that start later.")]
Wait = Annotated[bool, typer.Option("--wait", help="Wait for a trace to start if none is live.")]
Events = Annotated[
    bool,
    typer.Option(
        "--events",
        help="Show events instead of frames, including events of turns, tool calls and permissions.",
    ),
]
Stall = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Report a turn that is silent for TIME (60s, 5min), and ring the terminal's bell.",
    ),
]


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What is followed beside the frames that are wanted. `stall`: how long a silence may be, as typed."""

    all_: bool = False
    wait: bool = False
    events: bool = False
    stall: str | None = None


def follow(
    trace: Annotated[
        str | None,
        typer.Argument(
            metavar="TRACE",
            help=f"{common.TRACE_HELP} By default the newest live trace.",
            autocompletion=completion.traces,
        ),
    ] = None,
    all_: All = False,
    wait: Wait = False,
    where: Where = None,
    method: Annotated[str | None, typer.Option(metavar="GLOB", help="Frames of these methods.")] = None,
    grep: Annotated[
        str | None, typer.Option(metavar="RE", help="Frames whose text matches a regular expression.")
    ] = None,
    stream: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Frames of one HTTP stream (a request with its response) or of one WebSocket.",
        ),
    ] = None,
    quiet: Events = False,
    logs: Annotated[
        bool | None,
        typer.Option(
            "--logs/--no-logs",
            help="Show the agent's stderr, and gaps in the recording, between the frames. Default: yes, "
            "unless --method, --stream or --events is given; in JSON, no.",
        ),
    ] = None,
    stall: Stall = None,
    json: common.Json = False,
) -> None:
    """Show frames as they happen, until the trace ends: an older name of `frames --follow`.

    Prints a header that names the trace, the agent and the client, then one line per frame, followed by its
    events: changes of metadata and configuration, cancels and how they ended, findings. Events that only the
    end of a trace shows, such as a crash or an unanswered cancel, come just before the last line, which says
    how the trace ended. A trace that has already ended is shown completely. --json prints one object per
    line. docs/findings.md explains each finding.
    """
    from acp_trace.report.filters import BadFilter, Filter

    asked = asked_for("", where, live=True)
    try:
        wanted = Filter(
            method=method,
            grep=grep,
            stream=stream,
            logs=bool(logs) if json or quiet else logs,
            where=asked,
        )
    except BadFilter as error:
        raise typer.BadParameter(str(error), param_hint="--grep") from None
    follow_frames(trace, wanted, LiveOptions(all_, wait, quiet, stall), json=json)


def follow_frames(trace: str | None, wanted: Filter, how: LiveOptions, *, json: bool) -> None:
    """Prints frames as they happen, until the trace ends. `trace`: None for the newest live one."""
    stall_s = None if how.stall is None else _seconds(how.stall)
    printer = Printer(wanted, events=how.events, json=json)
    paths = _paths(trace)
    if paths is None:
        watched = Watched()
        with common.opened("last" if trace is None else trace) as source:
            for entry in source.entries():
                printer.show(watched, entry)
        printer.close(watched)
        return
    if not paths and not how.wait:
        fail(
            "no trace is live; use `--wait` to wait for one, or `acp-trace frames` for the newest trace",
            NOTHING,
        )
    some = paths if how.all_ or trace else paths[-1:]
    _follow(some, printer, all_=how.all_, wait=how.wait, stall_s=stall_s)


def _seconds(text: str) -> float:
    """A time such as `60s` or `5min`, in seconds."""
    from acp_trace.analyze.budgets.grammar import UNITS
    from acp_trace.trace.durations import NS_PER_S

    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([a-zµμ]+)", text.strip())
    if match is None or match[2] not in UNITS:
        raise typer.BadParameter(f"{text!r} is not a time, such as 60s or 5min", param_hint="--stall")
    return float(match[1]) * UNITS[match[2]] / NS_PER_S


def _paths(trace: str | None) -> list[Path] | None:
    """The live files that are meant, oldest first; None for a trace that is not live."""
    from acp_trace.trace import lock, spool
    from acp_trace.trace.names import may_mean

    if trace == "":  # the beginning of every id
        return None
    home = common.home()
    home.make()
    if trace is not None and Path(trace).is_file():
        return [Path(trace)] if lock.held(Path(trace)) else None
    live = [one for one in spool.spooled(home.spool) if one.live]
    if trace is None:
        return [one.path for one in live]
    paths = [one.path for one in live if may_mean(trace, one.id)]
    if len(paths) > 1:
        fail(f"{trace} matches {len(paths)} live traces", UNREADABLE)
    return paths or None


def _follow(paths: list[Path], printer: Printer, *, all_: bool, wait: bool, stall_s: float | None) -> None:
    from watchfiles import watch

    from acp_trace.trace import spool

    home = common.home()
    streams = {path: _Stream(path, several=all_) for path in paths}
    directories = {path.parent for path in paths} | {home.spool}
    for _ in _changes(
        watch(
            *directories,
            debounce=50,
            step=10,
            rust_timeout=_LOOK_MS,
            yield_on_timeout=True,
            recursive=False,
        )
    ):
        if all_ or (wait and not streams):
            started = [one.path for one in spool.spooled(home.spool) if one.live]
            for path in started if all_ else started[-1:]:
                if path not in streams:
                    streams[path] = _Stream(path, several=all_)
        for stream in [one for one in streams.values() if not one.over]:
            for entry in stream.new():
                printer.show(stream.watched, entry)
            printer.caught_up(stream.watched)
            if stall_s is not None and stream.stalls(stall_s):
                printer.stalled(stream.watched, stream.silent_s)
            if stream.over:
                printer.close(stream.watched)
        if streams and all(stream.over for stream in streams.values()):
            break
    for stream in streams.values():
        if not stream.complete:
            print(
                f"acp-trace: {stream.id}: its recorder was killed; the trace is incomplete",
                file=sys.stderr,
            )


def _changes(changes: Iterator[object]) -> Iterator[object]:
    """Once for what already exists, then once a change."""
    yield None
    yield from changes


class _Stream:
    """One live trace: its file, what was printed of it, whether it is over."""

    def __init__(self, path: Path, *, several: bool) -> None:
        from acp_trace.trace.tail import Tail

        self.id = path.stem
        self.over = False
        self.watched = Watched(self.id if several else None)
        self._tail = Tail(path)
        self._heard, self._is_reported = (
            time.monotonic(),
            False,
        )  #: when the last entry came; whether the silence since was reported

    @property
    def complete(self) -> bool:
        return self._tail.complete

    @property
    def silent_s(self) -> float:
        """How long nothing has come."""
        return time.monotonic() - self._heard

    def stalls(self, most_s: float) -> bool:
        """Whether a turn is open, and nothing has come for so long: once a silence."""
        if self._is_reported or self.over or self.silent_s < most_s or not self.watched.analyzer.is_busy():
            return False
        self._is_reported = True
        return True

    def new(self) -> Iterator[Entry]:
        """The entries since the last call."""
        dead = self._tail.dead()
        for entry in self._tail.new():
            self._heard, self._is_reported = time.monotonic(), False
            yield entry
        self.over = dead or self._tail.complete
