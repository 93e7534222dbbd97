"""Frames, joined chunks, logs and gaps for programs: the rows of `frames --json` and `follow --json`."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from acp_trace.analyze.batches import EnvelopePlace
from acp_trace.protocol.message import MessageKind
from acp_trace.report.chunk_runs import ChunkRun
from acp_trace.report.frame_rows import FrameRow
from acp_trace.trace.entries import Entry, EntryKind, Gap
from acp_trace.trace.jsontext import value_or_none


def any_row(row: FrameRow | ChunkRun | Entry) -> dict[str, Any]:
    """The object of a frame or another entry in a list of frames."""
    if isinstance(row, ChunkRun):
        return run_row(row)
    return entry_row(row) if isinstance(row, Entry) else frame_row(row)


def frame_row(row: FrameRow, trace: str | None = None) -> dict[str, Any]:
    """One frame; the message is the frame itself, verbatim."""
    made = _common(row, trace)
    frame = row.frame
    if frame.kind is MessageKind.TEXT:
        made["text"] = frame.data.decode("utf-8", "replace")
    elif frame.kind is MessageKind.BYTES:
        made["base64"] = base64.b64encode(frame.data).decode()
    else:
        made["message"] = msgspec.Raw(frame.data)
    return made


def run_row(run: ChunkRun) -> dict[str, Any]:
    """Joined chunks: the keys of the first one, with `chunks`, `duration_ns` and all the text; no message."""
    return _common(run.first, None) | {
        "size": run.size,
        "chunks": run.chunks,
        "last_frame": run.last.frame.frame,
        "duration_ns": run.duration_ns,
        "text": run.text,
    }


def entry_row(entry: Entry, trace: str | None = None) -> dict[str, Any]:
    """A line of stderr under `log`, or what a gap lost under `gap`; as in the trace file, with `t_ns`."""
    made: dict[str, Any] = {} if trace is None else {"trace_id": trace}
    made["t_ns"] = entry.t_ns
    if entry.kind is EntryKind.GAP:
        gap = Gap.of(value_or_none(entry.data))
        return made | {"gap": {"frames": gap.frames, "bytes": gap.bytes, "reason": gap.reason}}
    return made | {"log": entry.data.decode("utf-8", "replace")}


def _common(row: FrameRow, trace: str | None) -> dict[str, Any]:
    frame = row.frame
    made: dict[str, Any] = {} if trace is None else {"trace_id": trace}
    return made | {
        "frame": int(frame.frame),
        "t_ns": frame.t_ns,
        "from": frame.sender,
        "kind": frame.kind,
        "method": frame.method,
        "id": None if frame.id is None else msgspec.Raw(frame.id.encode()),
        "answers": None if frame.answers is None else int(frame.answers),
        "session_id": frame.session_id,
        "update": frame.update,
        "size": frame.size,
        "since_previous_ns": row.since_previous_ns,
        "latency_ns": row.latency_ns,
        "stream": frame.stream,
        "inner": isinstance(frame.frame, EnvelopePlace),
    }
