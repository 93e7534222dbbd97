"""Frames -> columns: what lists, filters and links need of each frame, in arrays that a browser can use.

A million frames are some arrays of a million numbers; the frames themselves are read page by page. Pure.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import sub

from acp_trace.analyze.budgets.grammar import UNITS
from acp_trace.analyze.facts import Facts, Turn
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.report.frame_filter import fields
from acp_trace.report.page.documents import ColumnsDocument, FilterDocument, FilterField
from acp_trace.story.messages import Messages
from acp_trace.trace.entries import AFTER_ALL

#: Frames of one block of columns.
BLOCK = 1 << 16
#: A page of frames ends with the one that reaches either.
PAGE_BYTES, PAGE_FRAMES = 1 << 18, 4096
#: The columns of a block, in their order, with the bytes of a number. `t`: ns since the frame before.
LAYOUT = (
    ("t", 4),
    ("size", 4),
    ("kind", 1),  #: twice the place in `KINDS`, and 1 more from the agent
    ("method", 4),  #: the place in `methods`, from 1; 0 without one
    ("update", 4),
    ("session", 4),
    ("answers", 4),  #: of a response, the frame of its request
    ("answered", 4),  #: of a request, the frame of its response
    ("turn", 4),  #: turns are counted from 1, in the order of their frames
    ("stream", 4),  #: its number; 0 over standard input and output
    ("message", 4),  #: of a chunk, the frame with which its message begins; 0 of others
)
KINDS = tuple(kind.value for kind in MessageKind)
_KINDS = tuple(MessageKind)  #: a look-up in a dict would hash the member, in Python
_TYPES = {1: "B", 4: "I"}
_FAR = 0xFFFFFFFF


class _Names(dict[str | None, int]):
    """Texts and their numbers, from 1 in the order in which they came; 0 for None."""

    def __init__(self) -> None:
        super().__init__({None: 0})

    def __missing__(self, name: str | None) -> int:
        self[name] = number = len(self)
        return number

    @property
    def all(self) -> list[str]:
        """The texts."""
        return [name for name in self if name is not None]


@dataclass(slots=True)
class Index:
    """The data of all frames together.

    `blocks` are bytes: the columns of `LAYOUT`, each in one piece, little-endian. `pages` are the numbers of
    the frames with which pages begin. `far` has the frames whose time is not in the column, with their times.
    """

    frames: int = 0
    blocks: list[bytes] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    far: list[tuple[int, int]] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    updates: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)

    def document(self, *, live: bool) -> ColumnsDocument:
        """What the page reads of it first."""
        return {
            "frames": self.frames,
            "live": live,
            "block": BLOCK,
            "layout": LAYOUT,
            "kinds": KINDS,
            "pages": self.pages,
            "far": self.far,
            "methods": self.methods,
            "updates": self.updates,
            "sessions": self.sessions,
            "filter": filter_document(),
        }


def filter_document() -> FilterDocument:
    """The tables of the filter language."""
    return {
        "fields": [
            FilterField(each.name, each.type, each.meaning, each.example, each.values, each.aliases)
            for each in fields.FIELDS.values()
        ],
        "aliases": fields.ALIASES,
        "operators": fields.OPERATORS,
        "times": UNITS,
        "sizes": fields.SIZES,
        "longest": fields.LONGEST,
        "deepest": fields.DEEPEST,
    }


class Pager:
    """Add the frames of a trace, in order: `on_page` gets those of each page, once the page is full."""

    def __init__(self, on_page: Callable[[list[Frame]], object]) -> None:
        self._on_page = on_page
        self._page: list[Frame] = []
        self._size = 0

    def add(self, frame: Frame) -> None:
        """The next frame."""
        if self._size >= PAGE_BYTES or len(self._page) >= PAGE_FRAMES:
            self.end_page()
        self._page.append(frame)
        self._size += frame.size

    def end_page(self) -> None:
        """End the last page, if it has any frames: to be called after the last frame."""
        if self._page:
            self._on_page(self._page)
            self._page, self._size = [], 0


class Indexer:
    """Collects the frames of a trace, in order, and has their columns in the end.

    The columns grow page by page: a loop over the frames for each column takes half the time of one loop that
    fills all columns. `on_page` is called with the frames of each page once the page is full.
    """

    def __init__(self, facts: Facts, on_page: Callable[[list[Frame]], object] = lambda _: None) -> None:
        self._made = Index()
        self._methods, self._updates, self._sessions = _Names(), _Names(), _Names()
        self._answered = {
            exchange.frame: exchange.response_frame for exchange in facts.exchanges if exchange.response_frame
        }
        self._turns = _Turns(facts.turns)
        self._message_of = Messages().of
        self._columns = _columns()
        self._on_page = on_page
        self._previous = 0
        self._pager = Pager(self._add_page)
        self.add = self._pager.add  #: to be called with each frame

    def index(self) -> Index:
        """The columns of all frames. Nothing may be added after it."""
        made = self._made
        self._pager.end_page()
        if self._columns[0]:
            made.blocks.append(little_endian(self._columns))
        made.methods, made.updates, made.sessions = self._methods.all, self._updates.all, self._sessions.all
        return made

    def _add_page(self, page: list[Frame]) -> None:
        made = self._made
        made.pages.append(page[0].frame)
        made.frames += len(page)
        self._on_page(page)
        methods, updates, sessions, answered = self._methods, self._updates, self._sessions, self._answered
        numbers: Sequence[Sequence[int]] = (  # in the order of LAYOUT
            self._steps(page),
            [frame.size for frame in page],
            [_KINDS.index(frame.kind) * 2 + (frame.sender == "agent") for frame in page],
            [methods[frame.method] for frame in page],
            [updates[frame.update] for frame in page],
            [sessions[frame.session_id] for frame in page],
            [frame.answers or 0 for frame in page],
            [answered.get(frame.frame, 0) for frame in page],
            self._turns.of(page),
            [frame.stream or 0 for frame in page],
            list(map(self._message_of, page)),
        )
        for column, more in zip(self._columns, numbers, strict=True):
            column.extend(_fitting(column.typecode, more))
        if len(self._columns[0]) >= BLOCK:  # a page has fewer frames than a block
            made.blocks.append(little_endian([column[:BLOCK] for column in self._columns]))
            self._columns = [column[BLOCK:] for column in self._columns]

    def _steps(self, page: list[Frame]) -> list[int]:
        """The time of each frame since the one before, or `_FAR` if the column does not hold it."""
        times = [frame.t_ns or 0 for frame in page]
        steps = list(map(sub, times, [self._previous, *times]))
        self._previous = times[-1]
        if min(steps) < 0 or max(steps) >= _FAR:
            for place, (frame, t_ns) in enumerate(zip(page, times, strict=True)):
                if not 0 <= steps[place] < _FAR:
                    self._made.far.append((frame.frame, t_ns))
                    steps[place] = _FAR
        return steps


def index(facts: Facts, frames: Iterable[Frame]) -> Index:
    """The columns of all frames of a trace."""
    indexer = Indexer(facts)
    for frame in frames:
        indexer.add(frame)
    return indexer.index()


def pages(frames: Iterable[Frame], firsts: list[int]) -> Iterator[list[Frame]]:
    """The frames page by page."""
    page: list[Frame] = []
    starts = iter(firsts[1:])
    start = next(starts, None)
    for frame in frames:
        if frame.frame == start:
            yield page
            page, start = [], next(starts, None)
        page.append(frame)
    if firsts:
        yield page


def turn_numbers(turns: Iterable[Turn]) -> dict[int, int]:
    """The number of each turn among all of a trace, from 1, by the frame of its prompt."""
    return {frame: number for number, frame in enumerate(sorted(turn.frame for turn in turns), 1)}


class _Turns:
    """To which turn of its session a frame belongs."""

    def __init__(self, turns: list[Turn]) -> None:
        numbers = turn_numbers(turns)
        self._begins = {turn.frame: (numbers[turn.frame], turn.settled_frame or AFTER_ALL) for turn in turns}
        self._open: dict[str, tuple[int, int]] = {}

    def of(self, page: list[Frame]) -> list[int]:
        """The numbers of the turns of the next frames; 0 outside of turns."""
        begins, opened = self._begins, self._open
        found = []
        for frame in page:
            number, turn, session_id = frame.frame, 0, frame.session_id
            if session_id is not None:
                if number in begins:
                    opened[session_id] = begins[number]
                if session_id in opened:
                    turn, settled = opened[session_id]
                    if number >= settled:
                        del opened[session_id]
            found.append(turn)
        return found


def _fitting(typecode: str, numbers: Sequence[int]) -> array[int]:
    """The numbers as a piece of a column; those that it cannot hold as the largest that it can."""
    try:
        return array(typecode, numbers)
    except OverflowError:
        return array(typecode, [min(number, _FAR) for number in numbers])


def _columns() -> list[array[int]]:
    return [array(_TYPES[width]) for _, width in LAYOUT]


def little_endian(columns: Sequence[array[int]]) -> bytes:
    """Columns as the page reads them, one after the other. They may be used up by that."""
    if sys.byteorder == "big":
        for column in columns:
            column.byteswap()
    return b"".join(column.tobytes() for column in columns)
