"""What may have changed a file that exists at the end, as far as one trace shows it. Pure.

A tool call reports that the agent wrote it; the client was asked to write it; or it was changed while the
agent worked on a request. A file of a recording that was changed at another time may be its user's work.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from acp_trace.analyze.facts import Facts
from acp_trace.protocol import methods
from acp_trace.protocol.message import read
from acp_trace.protocol.payloads import ParamsView
from acp_trace.replay.files_named import FileUses, below, is_absolute
from acp_trace.replay.left_files import LeftFile, LeftFiles
from acp_trace.story.frame_event import FrameEvent, frame_event
from acp_trace.trace.entries import AFTER_ALL, SENT, Entry

#: A file of a directory: the directory's number, and the file's name below it.
Place = tuple[int, str]
_CANCELLED = "cancelled"
#: How far a file's time may be behind: systems take it from a clock that ticks.
_TICK_NS = 10_000_000


class _Span(NamedTuple):
    """When something was in progress, in ns, and the frame with which it began."""

    begin: int
    end: int
    frame: int


class LeftUses:
    """What one trace shows of the files that it left."""

    def __init__(self, left: LeftFiles, entries: Iterable[Entry], facts: Facts) -> None:
        self._roots = {root: number for number in left.directories for root in left.roots.get(number, ())}
        self._facts = facts
        self._sent = [entry for entry in entries if entry.kind in SENT and entry.sender is not None]
        self._written: dict[Place, int] = {}
        self._asked: dict[Place, int] = {}
        uses: FileUses[int] = FileUses()
        for frame, entry in enumerate(self._sent, 1):
            for use in uses.feed(frame, entry.sender or "", entry.data):
                place = self._place(use.path)
                if place is not None and use.use in ("wrote", "asked"):
                    (self._written if use.use == "wrote" else self._asked)[place] = frame
        turns = {each.frame: each for each in facts.turns}
        cancelled = {frame for frame, turn in turns.items() if turn.stop_reason == _CANCELLED}
        spans = [
            _Span(each.t_ns or 0, _end(each.t_ns, each.latency_ns), each.frame)
            for each in facts.exchanges
            if each.sender == "client"
        ]
        spans += [
            _Span(each.t_ns or 0, _end(each.t_ns, each.duration_ns), each.frame) for each in turns.values()
        ]
        self._requests = [span for span in spans if span.frame not in cancelled]
        self._cancelled = [span for span in spans if span.frame in cancelled]
        self._terminals = [
            _Span(each.t_ns or 0, self._turn_end(each.t_ns or 0), each.frame)
            for each in facts.exchanges
            if each.method == methods.TERMINAL_CREATE and each.outcome == "result"
        ]

    @property
    def has_terminals(self) -> bool:
        """Whether the client ran commands, which may have written files."""
        return bool(self._terminals)

    @property
    def is_settled(self) -> bool:
        """Whether every turn has ended. The work of an open turn may be incomplete."""
        return all(turn.settled_frame is not None for turn in self._facts.turns)

    def is_written(self, place: Place) -> bool:
        """Whether a tool call reports that it wrote the file, moved it or deleted it."""
        return place in self._written

    def is_asked(self, place: Place) -> bool:
        """Whether the client was asked to write it, and did."""
        return place in self._asked

    def is_as_asked(self, place: Place, file: LeftFile) -> bool:
        """Whether it contains what the client was last asked to write."""
        return file.text is not None and self._texts.get(place) == file.text

    def is_at_work(self, file: LeftFile) -> bool:
        """Whether it was last changed while the agent worked on a request, or that is unknown."""
        return file.t_ns is None or self._request(file.t_ns) is not None

    def is_cut_off(self, file: LeftFile) -> bool:
        """Whether it was last changed in a cancelled turn, whose progress is a matter of chance."""
        return any(_has(span, file.t_ns) for span in self._cancelled)

    def is_by_terminal(self, file: LeftFile) -> bool:
        """Whether a command of the client may have changed it last."""
        if file.t_ns is None:
            return self.has_terminals
        return any(_has(span, file.t_ns) for span in self._terminals)

    def event(self, place: Place, file: LeftFile | None) -> FrameEvent | None:
        """Return where the trace reports its writing, else the request on which the agent worked then."""
        frame = self._written.get(place, self._asked.get(place))
        if frame is None and file is not None and file.t_ns is not None:
            frame = self._request(file.t_ns)
        return None if frame is None else frame_event(frame, self._sent[frame - 1])

    def session(self, number: int, frame: int | None) -> str | None:
        """Return the session of a directory; of several, the session with a turn at a frame."""
        roots = {root for root, of in self._roots.items() if of == number}
        sessions = [each.session_id for each in self._facts.sessions if each.cwd in roots]
        at_work = (
            turn.session_id
            for turn in self._facts.turns
            if frame is not None and turn.frame <= frame <= (turn.settled_frame or AFTER_ALL)
        )
        of_turn = next((session for session in at_work if session in sessions), None)
        return of_turn or next(iter(sessions), None)

    def _place(self, path: str) -> Place | None:
        if not is_absolute(path, self._roots) and len(set(self._roots.values())) == 1:
            path = posixpath.join(next(iter(self._roots)), path)
        root, name = below(path, self._roots) or ("", "")
        return (self._roots[root], name) if name else None

    @cached_property
    def _texts(self) -> dict[Place, str]:
        """What the client was last asked to write to each file. Most replays do not need it."""
        texts: dict[Place, str] = {}
        word = methods.WRITE_FILE.encode()
        for entry in self._sent:
            if entry.sender == "agent" and word in entry.data:
                message = read(entry.data)
                params = ParamsView(message.part("params"))
                if message.method == methods.WRITE_FILE and params.path and params.content is not None:
                    place = self._place(params.path)
                    if place is not None:
                        texts[place] = params.content
        return texts

    def _request(self, t_ns: int) -> int | None:
        """Return the client's open request that began last."""
        spans = [span for span in self._requests if _has(span, t_ns)]
        return max(spans).frame if spans else None

    def _turn_end(self, t_ns: int) -> int:
        spans = [*self._requests, *self._cancelled]
        return max((span.end for span in spans if span.begin <= t_ns <= span.end), default=AFTER_ALL)


def _has(span: _Span, t_ns: int | None) -> bool:
    return t_ns is not None and span.begin - _TICK_NS <= t_ns <= span.end


def _end(t_ns: int | None, duration_ns: int | None) -> int:
    return AFTER_ALL if duration_ns is None else (t_ns or 0) + duration_ns
