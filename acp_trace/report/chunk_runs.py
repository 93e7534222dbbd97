"""The chunks of a message as one row: `acp-trace frames --join`. Rows in, rows and runs out. Pure.

`story.messages` says which chunks are one message. Rows that come before a message has ended are shown after
it. Text and waiting rows are limited, so that a trace of any size is joined in little memory: a message that
is longer, or goes on for longer, becomes several runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from acp_trace.report.frame_rows import FrameRow
from acp_trace.story.messages import chunk_of

T = TypeVar("T")

#: The most text that one run holds (characters).
LONGEST = 1_000_000
#: The most that waits until a run has ended: bytes of frames and characters of runs, and rows.
HELD, ROWS = 1_000_000, 1_000


class ChunkRun(msgspec.Struct):
    """Chunks of one message that came in a row."""

    first: FrameRow
    last: FrameRow
    chunks: int
    size: int  #: bytes of all its frames
    pieces: list[str]
    length: int  #: characters of all its pieces
    may_go_on: bool = True

    def takes(self, row: FrameRow) -> bool:
        """Whether a chunk is one more of this run."""
        return row.message == self.first.message and self.length <= LONGEST

    def add(self, row: FrameRow, text: str) -> None:
        """The next chunk."""
        self.last = row
        self.chunks += 1
        self.size += row.frame.size
        self.pieces.append(text)
        self.length += len(text)

    @property
    def text(self) -> str:
        """The text of its chunks, joined."""
        return "".join(self.pieces)

    @property
    def duration_ns(self) -> int | None:
        """From its first chunk to its last (ns); None in a trace without times."""
        since, until = self.first.frame.t_ns, self.last.frame.t_ns
        return None if since is None or until is None else until - since


def joined(rows: Iterable[FrameRow | T]) -> Iterator[FrameRow | ChunkRun | T]:
    """The rows with runs in the place of chunks of text, in the order in which they begin."""
    latest: dict[str | None, ChunkRun] = {}  #: by session
    waiting: deque[FrameRow | ChunkRun | T] = deque()
    held = 0
    for row in rows:
        text = None
        if isinstance(row, FrameRow) and row.message:
            session_id, text = row.frame.session_id, _text(row)
            run = latest.get(session_id)
            if run is not None and (text is None or not run.takes(row)):
                run.may_go_on = False
            if text is not None:
                if run is None or not run.may_go_on:
                    run = latest[session_id] = ChunkRun(row, row, 0, 0, [], 0)
                    waiting.append(run)
                run.add(row, text)
                held += len(text)
        if text is None:
            waiting.append(row)
            held += _size(row)
        if held > HELD or len(waiting) > ROWS:
            for run in latest.values():
                run.may_go_on = False
            latest.clear()
        while waiting and not _goes_on(waiting[0]):
            gone = waiting.popleft()
            held -= _size(gone)
            yield gone
    yield from waiting


def _goes_on(row: object) -> bool:
    return isinstance(row, ChunkRun) and row.may_go_on


def _size(row: object) -> int:
    """What of the room for rows that wait a row takes."""
    if isinstance(row, ChunkRun):
        return row.length
    return row.frame.size if isinstance(row, FrameRow) else 0


def _text(row: FrameRow) -> str | None:
    """The text of a chunk; None if it has none."""
    chunk = chunk_of(row.frame)
    return None if chunk is None else chunk.content.text
