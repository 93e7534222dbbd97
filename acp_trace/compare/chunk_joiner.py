"""Entries of a trace -> events, as they come: a recording read from its file, or a run that is going on.

Chunks of one kind in a row are one event here, unless every frame is to be compared: their text is not
looked at, so that memory does not grow with it.
"""

from __future__ import annotations

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.compare.story import Story, TraceEvent
from acp_trace.compare.story_builder import build
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.updates import JOINED
from acp_trace.trace.entries import Entry

_NOTIFICATION = MessageKind.NOTIFICATION


class EventReader:
    """Takes in the entries of one trace. `whole`: whether texts of chunks are kept."""

    def __init__(self, *, whole: bool = False) -> None:
        self._analyzer = Analyzer()
        self._joined = frozenset[str]() if whole else JOINED
        self._events: list[TraceEvent] = []
        self._latest: dict[str | None, TraceEvent] = {}

    def feed(self, entry: Entry) -> None:
        """Takes in the next entry."""
        frame = self._analyzer.feed(entry)
        if frame is None:
            return
        joined = frame.update in self._joined and frame.sender == "agent" and frame.kind is _NOTIFICATION
        latest = self._latest.get(frame.session_id)
        if joined and latest is not None and latest.update == frame.update:
            latest.count += 1
            return
        event = TraceEvent(
            frame.frame,
            frame.sender,
            frame.kind,
            frame.method,
            frame.session_id,
            frame.update,
            frame.answers,
            b"" if joined else frame.data,
        )
        self._events.append(event)
        self._latest[frame.session_id] = event

    def facts(self) -> Facts:
        """The facts of the analysis of the trace so far."""
        return self._analyzer.facts()

    def story(self) -> Story:
        """The story of the trace so far."""
        return build(self._events, self._analyzer.facts())
