"""A written conversation with an agent, recorded for a test: the trace is returned as lines.

The agent is started as in a replay, behind the recorder's tee, and ended as in a replay: its input is closed,
and what it still sends until it ends belongs to the trace. The caller decides whether to keep the trace, and
where.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.protocol.methods import CANCEL
from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.sink import Sink
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.drive.written_run import NotStarted, WrittenStage, play, stage, started
from acp_trace.replay.settings import Settings
from acp_trace.replay.written.steps import WrittenConversation
from acp_trace.trace.files import open_trace
from acp_trace.trace.names import new_id
from acp_trace.trace.parse import Parser


class NotRecorded(Exception):
    """The conversation differed from its script, or the agent failed. The message is one line."""

    def __init__(self, why: str, lines: bytes = b"") -> None:
        super().__init__(why)
        self.lines = lines  #: the trace so far; empty if there is none


@dataclass(frozen=True, slots=True)
class WrittenTrace:
    """A recorded conversation. `lines`: the trace file; `stops`: how each turn ended."""

    lines: bytes
    stops: tuple[str, ...]


def record_written(
    written: WrittenConversation, argv: Sequence[str], settings: Settings, *, stop: Stop
) -> WrittenTrace:
    """Record the conversation with the agent. Raises NotRecorded; OSError for directories.

    Only the settings of where and how an agent starts, and `timeout`, count. `stop` ends it early.
    """
    with stage(written, settings, stop, strict=True) as at:
        return _recorded(at, argv, stop)


def _recorded(at: WrittenStage, argv: Sequence[str], stop: Stop) -> WrittenTrace:
    began = time.monotonic_ns()
    try:
        process = started(argv, at, at.variables)
    except NotStarted as error:
        raise NotRecorded(str(error)) from None
    losses: list[str] = []
    file = tempfile.mkdtemp(prefix="", dir=at.own) + "/trace.capture"
    id_ = new_id()
    try:
        sink = Sink(
            partial(place.in_file, file, id_),
            header(id_, argv, began, cwd=at.start),
            started=began,
            say=losses.append,
        )
        why = play(at.client, process, sink, stop)
    finally:
        process.finish()
        process.end_holders()
    lines = b"" if losses else _lines(file)
    why = why or (losses[0] if losses else _late_cancel(lines))
    if why is not None:
        raise NotRecorded(why, lines)
    return WrittenTrace(lines, tuple(at.client.stops))


def _late_cancel(lines: bytes) -> str | None:
    """Return that a turn was over before its cancel arrived, which only the trace shows; None if none was."""
    analyzer = Analyzer(envelopes=0)
    for entry in Parser().feed(lines):
        analyzer.feed(entry)
    for cancel in analyzer.facts().cancellations:
        if cancel.kind == CANCEL and cancel.outcome == "no_target":
            return "a turn was over before its cancel arrived: cancel it earlier"
    return None


def _lines(file: str) -> bytes:
    with open_trace(file)[1] as lines:
        return lines.read()
