"""Runs of message chunks as one row each: `acp-trace frames --join`. Rows in, rows and runs out. Pure.

Chunks of one message are joined while nothing else comes between them in the trace than chunks of other
sessions, whatever of it is shown. The text of a run is limited, so that a trace of any size is joined in
little memory: a longer one is several runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import msgspec

from acp_trace.protocol.payloads import text_update
from acp_trace.protocol.updates import CHUNKS
from acp_trace.report.frame_rows import FrameRow

T = TypeVar("T")

#: The most text that one run holds (characters).
LONGEST = 1_000_000

#: Which message a chunk belongs to: sender, session, kind of update, messageId, stretch.
_Message = tuple[str, str | None, str | None, str | None, int]


class ChunkRun(msgspec.Struct):
    """Chunks of one message that came in a row."""

    first: FrameRow
    last: FrameRow
    chunks: int
    size: int  #: bytes of all its frames
    pieces: list[str]
    length: int  #: characters of all its pieces

    @property
    def text(self) -> str:
        """The text of its chunks, joined."""
        return "".join(self.pieces)

    @property
    def duration_ns(self) -> int | None:
        """From its first chunk to its last (ns); None in a trace without times."""
        since, until = self.first.frame.t_ns, self.last.frame.t_ns
        return None if since is None or until is None else until - since


class _Chunk(NamedTuple):
    message: _Message
    text: str


def joined(rows: Iterable[FrameRow | T]) -> Iterator[FrameRow | ChunkRun | T]:
    """The rows with runs in the place of chunks of text, in the order in which they begin."""
    open_runs: dict[str | None, tuple[_Message, ChunkRun]] = {}  #: by session, in their order
    for row in rows:
        chunk = _chunk(row) if isinstance(row, FrameRow) else None
        if chunk is None or not isinstance(row, FrameRow):
            yield from _ended(open_runs)
            yield row
            continue
        session = row.frame.session_id
        message, run = open_runs.get(session, (None, None))
        if run is None or message != chunk.message or run.length > LONGEST:
            if run is not None:
                yield from _ended(open_runs)
            open_runs[session] = (
                chunk.message,
                ChunkRun(row, row, 1, row.frame.size, [chunk.text], len(chunk.text)),
            )
            continue
        run.last = row
        run.chunks += 1
        run.size += row.frame.size
        run.pieces.append(chunk.text)
        run.length += len(chunk.text)
    yield from _ended(open_runs)


def _ended(open_runs: dict[str | None, tuple[_Message, ChunkRun]]) -> Iterator[ChunkRun]:
    for _, run in open_runs.values():
        yield run
    open_runs.clear()


def _chunk(row: FrameRow) -> _Chunk | None:
    """What to join of a frame; None if it is not a chunk of text."""
    frame = row.frame
    if frame.update not in CHUNKS or (chunk := text_update(frame.data)) is None:
        return None
    message = frame.sender, frame.session_id, frame.update, chunk.messageId, row.stretch
    return _Chunk(message, chunk.content.text)
