"""The tools `list_frames` and `read_frame`: the messages of a trace, as they were sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from acp_trace.mcp_server.documents import PartOffset, Pointer, part
from acp_trace.mcp_server.opening import name_of, opened
from acp_trace.mcp_server.paging import page
from acp_trace.mcp_server.tool import Arguments, CallRefused, Document, TraceName, TurnName
from acp_trace.report.chunk_runs import ChunkRun, joined
from acp_trace.report.filters import AROUND, BadFilter, Filter, ranges, time_ns
from acp_trace.report.frame_filter.fields import FIELDS, LONGEST
from acp_trace.report.frame_filter.grammar import FilterError, parse
from acp_trace.report.frame_filter.rows import KnownFacts, Where
from acp_trace.report.frame_rows import FrameRow, Timer
from acp_trace.report.json.frames import any_row
from acp_trace.report.selection import NoSuchTurn, TurnSpan, part_of_id, turn_span
from acp_trace.store.sources import Source
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Entry
from acp_trace.trace.home import Home

_Time = Annotated[str, Meta(description="A time in the trace: 1.5s, 200ms, 2min.")]


class ListFramesArguments(Arguments):
    """List the frames of a trace (the messages between client and agent), in order, with filters.

    Each has its number, its time since the trace began (`t_ns`), the time since the frame before, who sent
    it, and the message; of a response, the frame that it answers and its latency. Times are nanoseconds. Long
    messages are cut, and `cut` names what; read_frame reads it. A frame must pass all filters.
    """

    trace: TraceName = "last"
    frames: Annotated[str, Meta(description="Only these frames: 12, 10-20, 10-, 3,7-9.")] | None = None
    filter: (
        Annotated[
            str,
            Meta(
                description="What each frame must be, term by term: `method:session/update kind:tool_call "
                'session:S2 took>1s text:"a b"`. `-term` is the opposite, `a,b` and `or` are alternatives. '
                "Fields: " + ", ".join(FIELDS) + ".",
                max_length=LONGEST,
            ),
        ]
        | None
    ) = None
    sender: Annotated[Literal["client", "agent"], Meta(description="Frames of one side.")] | None = None
    method: (
        Annotated[str, Meta(description="Frames of these methods (a glob), and the responses to them.")]
        | None
    ) = None
    update: (
        Annotated[
            str, Meta(description="session/update frames of this kind (a glob): tool_call, plan, *_chunk.")
        ]
        | None
    ) = None
    session: Annotated[str | None, Meta(description="Frames of one session: S2, or a part of its id.")] = None
    stream: (
        Annotated[
            int, Meta(description="Frames of one stream of HTTP, or of one WebSocket, by its number.", ge=1)
        ]
        | None
    ) = None
    turn: TurnName | None = None
    since: _Time | None = None
    until: _Time | None = None
    grep: (
        Annotated[str, Meta(description="Frames whose text matches a regular expression.", max_length=500)]
        | None
    ) = None
    around: (
        Annotated[int, Meta(description="This frame, and `context` frames before and after it.", ge=1)] | None
    ) = None
    context: Annotated[int, Meta(description="How many frames `around` shows on each side.", ge=0)] = AROUND
    join: Annotated[
        bool, Meta(description="Join the chunks of a message to one item (`chunks`, `text`).")
    ] = True
    logs: Annotated[
        bool, Meta(description="Also lines of the agent's stderr (`log`), and gaps, between the frames.")
    ] = False
    message_bytes: Annotated[
        int, Meta(description="The maximum length of an item; 0 leaves the messages out.", ge=0, le=12_000)
    ] = 1_000
    limit: Annotated[int, Meta(description="The maximum number of frames to return.", ge=1, le=500)] = 40
    offset: Annotated[
        int,
        Meta(description="The frames to skip: the `next_offset` of the previous answer. -20: the last 20."),
    ] = 0


def list_frames(home: Home, given: ListFramesArguments) -> Document:
    """The objects of `frames --json`."""
    with opened(home, given.trace) as source:
        wanted = _filter(source, given)
        read = source.frames_and_logs() if given.logs else source.frames()
        kept = wanted.of(Timer().rows(read))
        rows: Iterable[FrameRow | ChunkRun | Entry] = joined(kept) if given.join else kept
        made = page(rows, given.offset, given.limit).document(
            "frames", _without_message if not given.message_bytes else _plain, max(given.message_bytes, 1_000)
        )
        return {"trace": name_of(home, source), **made}


class ReadFrameArguments(Arguments):
    """Read one frame, or a part of it, without cuts.

    For what list_frames cut: `pointer` names the part, as its `cut` has it: /message/params/update. A long
    string is given in pieces: ask again with `offset`. What a chunk says is longer if chunks are joined: for
    that, ask list_frames with more `message_bytes`.
    """

    frame: Annotated[int, Meta(description="The number of the frame.", ge=1)]
    trace: TraceName = "last"
    pointer: Pointer = ""
    offset: PartOffset = 0


def read_frame(home: Home, given: ReadFrameArguments) -> Document:
    """A part of the object of one frame."""
    with opened(home, given.trace) as source:
        name = name_of(home, source)
        wanted = Filter(numbers=[(given.frame, given.frame)], logs=False)
        row = next((row for row in wanted.of(Timer().rows(source.frames()))), None)
        if not isinstance(row, FrameRow):
            raise CallRefused(
                f"there is no frame {given.frame} in {name}: list_frames with offset -1 has the last"
            )
        return {"trace": name, **part(_plain(row), given.pointer, given.offset)}


def _filter(source: Source, given: ListFramesArguments) -> Filter:
    try:
        where = None if given.filter is None else Where(parse(given.filter))
        return Filter(
            given.sender,
            given.method,
            given.update,
            None if given.session is None else part_of_id(given.session, source.facts),
            given.grep,
            given.around,
            given.context,
            ranges(given.frames.split()) if given.frames else (),
            None if given.since is None else time_ns(given.since),
            None if given.until is None else time_ns(given.until),
            None if given.turn is None else _turn(source, given.turn, given.session),
            given.logs,
            stream=given.stream,
            where=where,
            known=KnownFacts.of(source.facts()) if where is not None and where.needs_facts else None,
        )
    except (BadFilter, FilterError) as error:
        raise CallRefused(str(error)) from None


def _turn(source: Source, wanted: int | str, session: str | None) -> TurnSpan:
    try:
        return turn_span(source.facts(), wanted, session)
    except NoSuchTurn as error:
        raise CallRefused(str(error)) from None


def _plain(row: FrameRow | ChunkRun | Entry) -> dict[str, Any]:
    """The object of a row with nothing in it that is already JSON text, so that it can be cut."""
    return {
        key: jsontext.value(bytes(value)) if isinstance(value, msgspec.Raw) else value
        for key, value in any_row(row).items()
    }


def _without_message(row: FrameRow | ChunkRun | Entry) -> dict[str, Any]:
    return {key: value for key, value in _plain(row).items() if key not in ("message", "text", "base64")}
