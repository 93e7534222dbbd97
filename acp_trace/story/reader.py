"""Entries of a trace -> events, as they come: a recording read from its file, or a live run.

Chunks of one kind in a row are one event here, unless every frame is wanted. Their content is kept joined
(`joined_text`), up to a number of characters for each message.
"""

from __future__ import annotations

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.updates import JOINED, MESSAGES
from acp_trace.story.builder import build
from acp_trace.story.joined_text import JoinedText
from acp_trace.story.model import Story, TraceEvent
from acp_trace.trace.entries import Entry

_NOTIFICATION = MessageKind.NOTIFICATION


class EventReader:
    """Processes the entries of one trace. `joins`: chunks become one event. `texts`: their text is kept."""

    def __init__(self, *, joins: bool = True, texts: bool = True) -> None:
        self._analyzer = Analyzer(envelopes=0)
        self._joined = JOINED if joins else frozenset[str]()
        self._shown = frozenset(MESSAGES) if texts else frozenset[str]()
        self._events: list[TraceEvent] = []
        self._latest: dict[str | None, TraceEvent] = {}
        self._facts: Facts | None = None  #: the facts since the last entry, if they were asked for

    def feed(self, entry: Entry) -> None:
        """Process the next entry."""
        self._facts = None
        frame = self._analyzer.feed(entry)
        if frame is None:
            return
        is_update = frame.sender == "agent" and frame.kind is _NOTIFICATION
        joined = is_update and frame.update in self._joined
        latest = self._latest.get(frame.session_id)
        goes_on = is_update and latest is not None and latest.update == frame.update
        shown = None
        if is_update and frame.update in self._shown:
            shown = latest.shown if goes_on and latest is not None else JoinedText()
            if shown is not None:
                shown.add(frame.data)
        if joined and goes_on and latest is not None:
            latest.count += 1
            return
        if latest is not None and latest.shown is not None and latest.shown is not shown:
            latest.shown.end()
        event = TraceEvent(
            frame.frame,
            frame.sender,
            frame.kind,
            frame.method,
            frame.session_id,
            frame.update,
            frame.answers,
            b"" if joined else frame.data,
            shown=shown,
        )
        self._events.append(event)
        self._latest[frame.session_id] = event

    def facts(self) -> Facts:
        """The facts of the trace so far."""
        if self._facts is None:
            self._facts = self._analyzer.facts()
        return self._facts

    def story(self) -> Story:
        """The story of the trace so far."""
        return build(self._events, self.facts())
