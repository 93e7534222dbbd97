"""The bytes of a stored trace file -> its entries, its facts by the rules of today, logs between frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.merge import Rule
from acp_trace.store import read
from acp_trace.trace.entries import BETWEEN, SENT, Entry
from acp_trace.trace.parse import Parser


def derive(
    pieces: Iterable[bytes], meta_merge: Rule | None = None, *, streams: dict[int, int] | None = None
) -> Facts:
    """The facts of a trace file that comes in pieces. `streams` gets the stream of each frame with one."""
    from acp_trace.analyze.analyzer import Analyzer  # rarely needed, and 9 ms of a start

    parser, analyzer = Parser(), Analyzer(meta_merge)
    for entry in _parsed(parser, pieces):
        frame = analyzer.feed(entry)
        if streams is not None and frame is not None and frame.stream is not None:
            streams[frame.frame] = frame.stream
    last, analyzer.totals.torn_bytes = parser.finish()
    if last:
        analyzer.feed(last)
    return analyzer.facts()


def entries(pieces: Iterable[bytes]) -> Iterator[Entry]:
    """The entries of a trace file that comes in pieces."""
    parser = Parser()
    yield from _parsed(parser, pieces)
    last, _ = parser.finish()
    if last:
        yield last


def frames_and_logs(opened: read.Opener, trace_id: str) -> Iterator[Frame | Entry]:
    """The frames of a stored trace, and between them its lines of stderr and its gaps. Raises TraceGone."""
    opened = read.unchanged(opened, trace_id)  # for lines and frames alike
    frames, number = read.frames(opened, trace_id), 0
    for line, kind, raw in read.lines(opened, trace_id):
        is_frame = kind in SENT  # it is in `lines` as well, for its layout
        yield from islice(frames, line - number - (not is_frame))
        number = line
        if kind in BETWEEN:
            yield from entries([raw])
    yield from frames


def _parsed(parser: Parser, pieces: Iterable[bytes]) -> Iterator[Entry]:
    for piece in pieces:
        yield from parser.entries(piece)
