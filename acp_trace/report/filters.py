"""Which frames are wanted: the options of `acp-trace frames`, and how they are spelled. Pure.

The filter language, which these options can be given with (`where`), is in `frame_filter`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fnmatch import fnmatchcase

from acp_trace.analyze.budgets.grammar import UNITS
from acp_trace.report.frame_filter.rows import KnownFacts, Where
from acp_trace.report.frame_rows import FrameRow
from acp_trace.report.selection import TurnSpan
from acp_trace.trace.entries import Entry

#: Frames shown on either side of the one asked for, if nothing else is said.
AROUND = 10
#: How much earlier than a frame before it another may be: two sides are read by two threads (ns).
_DISORDER_NS = 1_000_000_000

_RANGE = re.compile(r"#?(\d{1,15})(?:(-)#?(\d{1,15})?)?", re.ASCII)
_TIME = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)\s*(\S*)", re.ASCII)

#: First and last number; None: to the end.
Range = tuple[int, int | None]


class BadFilter(ValueError):
    """A filter cannot be understood. The message says which and why."""


def ranges(words: Iterable[str]) -> list[Range]:
    """What `12`, `#12`, `10-20`, `10-` and `3,7-9` mean. Raises BadFilter."""
    return [_range(word) for words_ in words for word in words_.split(",")]


def is_ranges(word: str) -> bool:
    """Whether a word can only be frames, and no trace: `#12`, `10-20`, `10-`."""
    return are_ranges(word) and all("#" in one or "-" in one for one in word.split(","))


def are_ranges(word: str) -> bool:
    """Whether a word can be frames."""
    return all(_RANGE.fullmatch(one) for one in word.split(","))


def _range(word: str) -> Range:
    match = _RANGE.fullmatch(word)
    if match is None:
        raise BadFilter(f"{word!r} is not a frame or a range of frames: 12, 10-20 or 10-")
    first, dash, last = match.groups()
    span = int(first), int(last) if last else None if dash else int(first)
    if span[0] < 1:
        raise BadFilter(f"{word!r}: frames are numbered from 1")
    if span[1] is not None and span[1] < span[0]:
        raise BadFilter(f"{word!r}: the first number is the larger one")
    return span


def time_ns(word: str) -> int:
    """A time in the trace: `1.5s`, `200ms`, `2min`; a bare number is seconds (ns). Raises BadFilter."""
    match = _TIME.fullmatch(word)
    if match is None or (match[2] and match[2] not in UNITS):
        raise BadFilter(f"{word!r} is not a time in the trace, such as 1.5s, 200ms or 2min")
    return int(Decimal(match[1]) * UNITS[match[2] or "s"])


class Filter:
    """All conditions that are given must hold. Raises BadFilter."""

    def __init__(
        self,
        sender: str | None = None,
        method: str | None = None,
        update: str | None = None,
        session: str | None = None,
        grep: str | None = None,
        around: int | None = None,
        context: int = AROUND,
        numbers: Iterable[Range] = (),
        since_ns: int | None = None,
        until_ns: int | None = None,
        turn: TurnSpan | None = None,
        logs: bool | None = None,
        stream: int | None = None,
        where: Where | None = None,
        known: KnownFacts | None = None,
    ) -> None:
        """`known`: what the facts say, if `where` needs them."""
        of_frames = (sender, method, update, None if turn else session, stream)
        #: Whether lines of stderr and gaps are wanted. By default they are, unless a filter asks for what
        #: only frames have.
        self.has_logs = logs if logs is not None else of_frames.count(None) == len(of_frames)
        self._sender = sender
        self._method = method
        self._update = update
        self._session = session
        self._stream = stream
        self._where = where
        self._known = known or KnownFacts()
        self._since = since_ns
        self._until = until_ns
        self._turn = turn
        self._spans: list[list[Range]] = []  #: a frame's number lies in one range of each
        if numbers := list(numbers):
            self._spans.append(numbers)
        if around is not None:
            self._spans.append([(around - context, around + context)])
        if turn is not None:
            self._spans.append([(turn.first, turn.last)])
        try:
            self._grep = None if grep is None else re.compile(grep.encode())
        except re.error as error:
            raise BadFilter(f"{grep!r} is not a regular expression: {error}") from None

    def of(self, rows: Iterable[FrameRow | Entry]) -> Iterator[FrameRow | Entry]:
        """Those of `rows` that are wanted; reads no further than it must."""
        last, before = self._last(), 0
        for row in rows:
            if isinstance(row, Entry):
                if self.wants_log(row, before):
                    yield row
                continue
            before = row.frame.frame
            if last is not None and before > last:
                return
            if self._until is not None and (row.frame.t_ns or 0) > self._until + _DISORDER_NS:
                return
            if self.wants(row):
                yield row

    def wants(self, row: FrameRow, known: KnownFacts | None = None) -> bool:
        """Whether this frame is wanted. `known`: what is known of its trace by now, if there are several."""
        frame = row.frame
        return (
            (self._sender is None or frame.sender == self._sender)
            and (self._method is None or fnmatchcase(frame.method or "", self._method))
            and (self._update is None or fnmatchcase(frame.update or "", self._update))
            and (self._session is None or self._session in (frame.session_id or ""))
            and (self._stream is None or frame.stream == self._stream)
            and (self._turn is None or frame.session_id in (None, self._turn.session_id))
            and self._is_there(frame.frame, frame.frame, frame.t_ns or 0)
            and (self._grep is None or self._grep.search(frame.data) is not None)
            and (self._where is None or self._where.frame(row, known or self._known))
        )

    def wants_log(self, entry: Entry, before: int) -> bool:
        """Whether a line of stderr or a gap is wanted; `before` is the number of the last frame before it."""
        return (
            self.has_logs
            and self._is_there(before, before + 1, entry.t)
            and (self._grep is None or self._grep.search(entry.data) is not None)
            and (self._where is None or self._where.log(entry))
        )

    def _is_there(self, after: int, until: int, t_ns: int) -> bool:
        """Whether what lies at this time, or between these frames, is in the part that is wanted."""
        return (
            (self._since is None or t_ns >= self._since)
            and (self._until is None or t_ns <= self._until)
            and all(
                any(first <= after and (last is None or until <= last) for first, last in span)
                for span in self._spans
            )
        )

    def _last(self) -> int | None:
        """The last frame that can be wanted; None: any."""
        ends = [[last for _, last in span] for span in self._spans]
        closed = [max(one for one in span if one is not None) for span in ends if None not in span]
        return min(closed, default=None)
