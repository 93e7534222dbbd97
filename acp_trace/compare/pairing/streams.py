"""Frames that are neither requests nor responses, as streams that keep their order.

The streams of the actual trace are named like those of the expected one, if they have a counterpart there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.updates import TOOL_CALLS, call_id
from acp_trace.story.model import SessionPhase, TraceEvent

#: Updates whose absence nothing else reports.
_UNREPORTED = frozenset({updates.CONFIG, updates.MODE, updates.SESSION_INFO})
_UPDATES_OF_CALLS = (*TOOL_CALLS, "tool_call_content_chunk")


class StreamName(NamedTuple):
    """The name of a stream. `unreported`: no other check reports its complete absence."""

    session_id: str | None
    where: SessionPhase | None
    kind: str
    of: str | None = None  #: for a tool call, its id
    unreported: bool = False


class Names:
    """The expected trace's names for common things: its own, or (`actual`) for those of the actual trace."""

    def __init__(self, pairing: Pairing, *, actual: bool) -> None:
        own_ids = {pair[0].id: pair[actual].id for pair in pairing.sessions}
        self._sessions = {own_id: session_id for session_id, own_id in own_ids.items()}
        self._turns = {
            (own_ids.get(session_id), actual_number if actual else number): number
            for (session_id, number), actual_number in pairing.turns.items()
        }
        self._calls: dict[Hashable, str] = {}
        for section in pairing.sections:
            for pair in section.calls.pairs:
                session_id, own_id = section.session_id, pair[actual].id
                self._calls[session_id, section.where, own_id] = self._calls[session_id, own_id] = pair[0].id

    def name(self, event: TraceEvent) -> StreamName | None:
        """Return the stream of a frame; None if it has no counterpart, or is a request or a response."""
        if event.kind is MessageKind.RESPONSE and event.answers is None:
            return StreamName(None, None, f"stray of the {event.sender}", unreported=True)
        if event.kind in (MessageKind.REQUEST, MessageKind.RESPONSE):
            return None
        if event.kind is not MessageKind.NOTIFICATION:
            line = StreamName(None, None, f"line of the {event.sender}", unreported=True)
            return line if event.text.strip() else None
        if event.session_id is None:
            return StreamName(None, None, f"{event.sender} {event.method}")
        session_id = self._sessions.get(event.session_id)
        if session_id is None:
            return None
        if event.method != methods.UPDATE or event.sender != "agent":
            return StreamName(session_id, None, f"{event.sender} {event.method}")
        where = event.where
        if where is not None and where.part in ("turn", "after"):
            number = self._turns.get((event.session_id, where.number))
            if number is None:
                return None
            where = SessionPhase(where.part, number)
        kind = event.update or ""
        if kind not in _UPDATES_OF_CALLS:
            return StreamName(session_id, where, kind, unreported=kind in _UNREPORTED)
        own_id = call_id(event.text)
        if not own_id:
            return StreamName(session_id, where, kind)
        call = self._calls.get((session_id, where, own_id), self._calls.get((session_id, own_id)))
        return None if call is None else StreamName(session_id, where, "tool call", call)


def streams(events: Iterable[TraceEvent], names: Names) -> dict[StreamName, list[TraceEvent]]:
    """Return the frames of a trace by their streams."""
    by_stream: dict[StreamName, list[TraceEvent]] = {}
    for event in events:
        if (name := names.name(event)) is not None:
            by_stream.setdefault(name, []).append(event)
    return by_stream
