"""Frames -> columns: what lists, filters and links need of each frame, in arrays that a browser can use.

A million frames are some arrays of a million numbers; the frames themselves are read page by page. Pure.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp_trace.analyze.facts import Facts, Turn
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind

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
)
KINDS = tuple(kind.value for kind in MessageKind)
_KIND_NUMBERS = {kind: number for number, kind in enumerate(MessageKind)}
_TYPES = {1: "B", 4: "I"}
_FAR = 0xFFFFFFFF


class _Names:
    """Texts and their numbers, from 1."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def __call__(self, name: str | None) -> int:
        return 0 if name is None else self.all.setdefault(name, len(self.all) + 1)


@dataclass(slots=True)
class Index:
    """What is known of all frames together.

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

    def document(self, *, live: bool) -> dict[str, Any]:
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
        }


class Indexer:
    """Takes in the frames of a trace, in order, and knows their columns in the end."""

    def __init__(self, facts: Facts) -> None:
        self._made = Index()
        self._methods, self._updates, self._sessions = _Names(), _Names(), _Names()
        self._answered = {
            exchange.frame: exchange.response_frame for exchange in facts.exchanges if exchange.response_frame
        }
        self._turns = _Turns(facts.turns)
        self._columns = _columns()
        self._appends = [column.append for column in self._columns]  #: in the order of LAYOUT
        self._previous = self._size = self._since = 0

    def add(self, frame: Frame) -> bool:
        """The next frame; whether a page begins with it."""
        made, number, size = self._made, frame.frame, frame.size
        begins = not made.frames or self._size >= PAGE_BYTES or self._since >= PAGE_FRAMES
        if begins:
            made.pages.append(number)
            self._size = self._since = 0
        t_ns = frame.t_ns or 0
        step = t_ns - self._previous
        if not 0 <= step < _FAR:
            made.far.append((number, t_ns))
            step = _FAR
        self._previous = t_ns
        add = self._appends  # a loop over names and values would take twice as long, a million times
        add[0](step)
        add[1](min(size, _FAR))
        add[2](_KIND_NUMBERS[frame.kind] * 2 + (frame.sender == "agent"))
        add[3](self._methods(frame.method))
        add[4](self._updates(frame.update))
        add[5](self._sessions(frame.session_id))
        add[6](frame.answers or 0)
        add[7](self._answered.get(number, 0))
        add[8](self._turns.of(frame))
        add[9](min(frame.stream or 0, _FAR))
        made.frames += 1
        self._size += size
        self._since += 1
        if made.frames % BLOCK == 0:
            self._end_block()
        return begins

    def index(self) -> Index:
        """The columns of all frames. Nothing may be added after it."""
        made = self._made
        if self._columns[0]:
            self._end_block()
        made.methods, made.updates = list(self._methods.all), list(self._updates.all)
        made.sessions = list(self._sessions.all)
        return made

    def _end_block(self) -> None:
        self._made.blocks.append(little_endian(self._columns))
        self._columns = _columns()
        self._appends = [column.append for column in self._columns]


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
        self._begins = {turn.frame: (numbers[turn.frame], turn) for turn in turns}
        self._open: dict[str, tuple[int, Turn]] = {}

    def of(self, frame: Frame) -> int:
        """The number of the turn; 0 outside of turns."""
        if frame.session_id is None:
            return 0
        begun = self._begins.get(frame.frame)
        if begun is not None:
            self._open[frame.session_id] = begun
        turn = self._open.get(frame.session_id)
        if turn is None:
            return 0
        if turn[1].settled_frame is not None and frame.frame >= turn[1].settled_frame:
            del self._open[frame.session_id]
        return turn[0]


def _columns() -> list[array[int]]:
    return [array(_TYPES[width]) for _, width in LAYOUT]


def little_endian(columns: Sequence[array[int]]) -> bytes:
    """Columns as the page reads them, one after the other. They may be used up by that."""
    if sys.byteorder == "big":
        for column in columns:
            column.byteswap()
    return b"".join(column.tobytes() for column in columns)
