"""`acp-trace frames`."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from acp_trace.cli import common, completion
from acp_trace.cli.errors import NOTHING, USAGE, Misuse, fail
from acp_trace.cli.filtering import Where, asked_for, is_term
from acp_trace.cli.follow import All, Events, LiveOptions, Stall, Wait, follow_frames

if TYPE_CHECKING:
    from rich.text import Text

    from acp_trace.report.chunk_runs import ChunkRun
    from acp_trace.report.frame_rows import FrameRow
    from acp_trace.report.selection import TurnSpan
    from acp_trace.report.session_names import SessionNames
    from acp_trace.store.sources import Source
    from acp_trace.trace.entries import Entry

    _Row = FrameRow | ChunkRun | Entry

Word = TypeVar("Word")
Value = TypeVar("Value")


def frames(
    ctx: typer.Context,
    trace: common.Trace = "last",
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FRAMES|FILTER",
            help="Only these frames: 12, 10-20, 10- (to the end), 3,7-9; or a filter, as for --where.",
        ),
    ] = None,
    where: Where = None,
    sender: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="client|agent",
            autocompletion=completion.words(completion.sides),
            help="Frames of one side.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="GLOB", help="Frames of these methods, and the responses to them."),
    ] = None,
    update: Annotated[
        str | None, typer.Option(metavar="KIND", help="session/update frames of this kind (a glob).")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="NAME", help="Frames of one session: S2, or a part of its id.")
    ] = None,
    stream: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Frames of one HTTP stream (a request with its response) or of one WebSocket.",
        ),
    ] = None,
    turn: Annotated[
        str | None,
        typer.Option(
            metavar="TURN",
            help="Frames of one turn, numbered from 0 as in `show`; with several sessions: S2.0.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Frames from this time in the trace: 1.5s, 200ms, 2min."),
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Frames up to this time.")] = None,
    grep: Annotated[
        str | None, typer.Option(metavar="RE", help="Frames whose text matches a regular expression.")
    ] = None,
    around: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Frame N and its neighbours; --context sets their number."),
    ] = None,
    context: Annotated[
        int,
        typer.Option(
            "-C",
            "--context",
            metavar="N",
            min=0,
            help="The number of frames that --around shows on each side.",
        ),
    ] = 10,
    tail: Annotated[
        int | None, typer.Option("-n", "--tail", metavar="N", min=1, help="Only the last N lines.")
    ] = None,
    join: Annotated[bool, typer.Option("--join", help="Join the chunks of a message.")] = False,
    logs: Annotated[
        bool | None,
        typer.Option(
            "--logs/--no-logs",
            help="Show the agent's stderr, and gaps in the recording, between the frames. Default: no "
            "with --json, --jsonl, --events, --from, --method, --update, --session or --stream; otherwise "
            "yes.",
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Pretty-print each frame.")] = False,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            "-f",
            help="Show frames as they happen, until the trace ends. Default of TRACE: the newest live trace.",
        ),
    ] = False,
    all_: All = False,
    wait: Wait = False,
    events: Events = False,
    stall: Stall = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print one JSON object per line.")] = False,
    json: common.Json = False,
) -> None:
    """List the frames of a trace, one line each.

    ▸ marks frames from client to agent, ◂ frames from agent to client. A response shows its request as `#n
    method`. `s` is the time in the trace, `after` the time since the previous frame. For a response, `took`
    is the time since the request; for joined chunks (×n), the time from the first chunk to the last. `stderr`
    is a line that the agent wrote to stderr. A `proxy/successor` or `mcp/message` frame carries another
    message, which has its own sender and session. `12›` is the message that frame 12 carries. Over HTTP or
    WebSocket, `stream` is the number of the stream. A frame must pass all filters. `frames 10-20` looks at
    the last trace, and so does `frames is:error 'took>1s'`. docs/filter.md explains filters. Exits with 4 if
    no frame matches.

    --follow prints a header that names the trace, the agent and the client, then each frame, followed by its
    events: changes of metadata and configuration, cancels and how they ended, findings. Events that only the
    end of a trace shows, such as a crash or an unanswered cancel, come just before the last line, which says
    how the trace ended. A trace that has already ended is shown completely. --json prints one object per
    line. With neither TRACE nor --wait, exits with 4 if no trace is live. docs/findings.md explains each
    finding.
    """
    from acp_trace.report import filters
    from acp_trace.report.chunk_runs import joined
    from acp_trace.report.frame_filter.rows import KnownFacts
    from acp_trace.report.frame_rows import Timer
    from acp_trace.report.session_names import SessionNames
    from acp_trace.store.catalog import is_path
    from acp_trace.story.unwrapped import unwrapped

    common.one_of("--from", sender, completion.SIDES)
    words = words or []
    is_given = ctx.get_parameter_source("trace").name != "DEFAULT"  # type: ignore[union-attr]
    if (filters.is_ranges(trace) and not is_path(trace)) or (is_term(trace) and not Path(trace).exists()):
        is_given = False
        trace, words = "last", [trace, *words]
    numbers = [word for word in words if filters.are_ranges(word)]
    spans = _read("FRAMES", filters.ranges, numbers)
    asked = asked_for(" ".join(word for word in words if word not in numbers), where, live=follow)
    since_ns = None if since is None else _read("--since", filters.time_ns, since)
    until_ns = None if until is None else _read("--until", filters.time_ns, until)

    def make(span: TurnSpan | None, known: KnownFacts | None = None) -> filters.Filter:
        return filters.Filter(
            sender,
            method,
            update,
            session,
            grep,
            around,
            context,
            spans,
            since_ns,
            until_ns,
            span,
            logs,
            stream=stream,
            where=asked,
            known=known,
        )

    _read("--grep", make, None)
    following = LiveOptions(all_, wait, events, stall)
    if follow:
        _check_followed(turn=turn, tail=tail, join=join, full=full)
        logs = bool(logs) if json or jsonl or events else logs
        follow_frames(trace if is_given or numbers else None, make(None), following, json=json or jsonl)
        return
    if following != LiveOptions():
        raise Misuse("--all, --wait, --events and --stall need --follow")
    logs = bool(logs) if json or jsonl else logs
    with common.opened(trace) as source:
        known = KnownFacts.of(source.facts()) if asked is not None and asked.needs_facts else None
        session = _part_of_id(source, session)
        wanted = make(None if turn is None else _turn(source, turn, session), known)
        read = source.frames_and_logs() if wanted.has_logs else source.frames()
        count = _Count(asked is not None, wanted.of(Timer().rows(unwrapped(read))))
        rows: Iterable[_Row] = joined(count) if join else count
        if tail is not None:
            rows = deque(rows, tail)
        if json or jsonl:
            _as_json(rows, one_list=json)
        else:
            _as_lines(rows, full, around, SessionNames({}, source.session_names))
        if not count.found:
            from acp_trace.report.selection import unknown

            why = None if session is None else unknown(session, source.facts())
            fail(why or "no frame matches", NOTHING)


def _check_followed(**others: object) -> None:
    """Refuses what needs the whole trace."""
    for name, value in others.items():
        if value is not None and value is not False:
            raise Misuse(f"--{name} needs the whole trace: leave it out, or --follow")


class _Count:
    """Rows, handed on, and how many of them were found: frames, with `has_logs` also entries between them."""

    def __init__(self, has_logs: bool, rows: Iterable[FrameRow | Entry]) -> None:
        self._rows, self._has_logs = rows, has_logs
        self.found = 0

    def __iter__(self) -> Iterator[FrameRow | Entry]:
        from acp_trace.report.frame_rows import FrameRow

        for row in self._rows:
            self.found += self._has_logs or isinstance(row, FrameRow)
            yield row


def _read(option: str, reader: Callable[[Word], Value], word: Word) -> Value:
    """What an option's value means. Ends with exit code 2 if it means nothing."""
    from acp_trace.report.filters import BadFilter

    try:
        return reader(word)
    except BadFilter as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def _turn(source: Source, wanted: str, session: str | None) -> TurnSpan:
    from acp_trace.report.selection import NoSuchTurn, turn_span

    try:
        return turn_span(source.facts(), wanted, session)
    except NoSuchTurn as error:
        fail(f"--turn: {error}" if error.is_misuse else str(error), USAGE if error.is_misuse else NOTHING)


def _part_of_id(source: Source, session: str | None) -> str | None:
    from acp_trace.report.selection import part_of_id

    return None if session is None else part_of_id(session, source.facts)


def _as_lines(rows: Iterable[_Row], full: bool, sought: int | None, names: SessionNames) -> None:
    from acp_trace.report.chunk_runs import ChunkRun
    from acp_trace.report.text import frame_list
    from acp_trace.trace.entries import Entry

    console = common.console()
    width = console.width if sys.stdout.isatty() else None
    if width is not None and not full:
        rows = _headed(
            rows,
            lambda first: console.print(_heading(first, width), soft_wrap=True),
        )
    for row in rows:
        if isinstance(row, ChunkRun):
            line, whole = frame_list.run_line(row, width, names), frame_list.indented(row.text)
        elif isinstance(row, Entry):
            line, whole = frame_list.entry_line(row, width), ""
        else:
            is_sought = width is not None and row.frame.frame == sought
            line = frame_list.line(row, width, names=names, is_sought=is_sought)
            whole = frame_list.full(row.frame) if full else ""
        console.print(line, soft_wrap=True)
        if full and whole:
            console.print(whole, soft_wrap=True)


def _headed(rows: Iterable[_Row], head: Callable[[_Row], None]) -> Iterator[_Row]:
    """The rows, with something said before the first."""
    for at, row in enumerate(rows):
        if not at:
            head(row)
        yield row


def _heading(row: _Row, width: int) -> Text:
    """What the columns are, which depends on what the first row has."""
    from acp_trace.report.chunk_runs import ChunkRun
    from acp_trace.report.frame_rows import FrameRow
    from acp_trace.report.text import frame_list

    first = row.first if isinstance(row, ChunkRun) else row
    if not isinstance(first, FrameRow):
        return frame_list.heading(width, timed=first.t_ns is not None)
    frame = first.frame
    return frame_list.heading(width, timed=frame.t_ns is not None, streamed=frame.stream is not None)


def _as_json(rows: Iterable[_Row], *, one_list: bool) -> None:
    from acp_trace.report.json.encoding import as_json
    from acp_trace.report.json.frames import any_row

    made = map(any_row, rows)
    if one_list:
        common.print_json(list(made))
        return
    for row in made:
        common.write(as_json(row) + b"\n")
