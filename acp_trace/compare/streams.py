"""Frames that are neither requests nor responses, as streams that keep their order.

The streams of the second trace are called as those of the first, where they have a counterpart there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from acp_trace.compare.collector import Collector
from acp_trace.compare.sessions import Both
from acp_trace.compare.story import Seen, Where
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.update_kinds import TOOL_CALLS, call_id

#: Updates whose absence nothing else tells.
_UNTOLD = frozenset({updates.CONFIG, updates.MODE, updates.SESSION_INFO})
_UPDATES_OF_CALLS = (*TOOL_CALLS, "tool_call_content_chunk")


class Stream(NamedTuple):
    """The name of a stream. `untold`: that it is missing altogether is told nowhere else."""

    session_id: str | None
    where: Where | None
    kind: str
    of: str | None = None  #: the tool call
    untold: bool = False


class Names:
    """What the first trace calls things of the second; for the first, what of its own has a counterpart."""

    def __init__(self, found: Collector, sessions: Iterable[Both], *, got: bool) -> None:
        both = [(one.id, other.id if got else one.id) for one, other in sessions]
        self._sessions = {its: ours for ours, its in both}
        there = dict(both)
        self._turns = {
            (there.get(session_id), turn if got else number): number
            for (session_id, number), turn in found.turns.items()
        }
        self._calls: dict[Hashable, str] = {}
        for session_id, where, ours, theirs in found.calls:
            its = theirs if got else ours
            self._calls[session_id, where, its] = self._calls[session_id, its] = ours

    def name(self, seen: Seen) -> Stream | None:
        """The stream of a frame; None where it has no counterpart, or is a request or a response."""
        if seen.kind is MessageKind.RESPONSE and seen.answers is None:
            return Stream(None, None, f"stray of the {seen.sender}", untold=True)
        if seen.kind in (MessageKind.REQUEST, MessageKind.RESPONSE):
            return None
        if seen.kind is not MessageKind.NOTIFICATION:
            line = Stream(None, None, f"line of the {seen.sender}", untold=True)
            return line if seen.text.strip() else None
        if seen.session_id is None:
            return Stream(None, None, f"{seen.sender} {seen.method}")
        session_id = self._sessions.get(seen.session_id)
        if session_id is None:
            return None
        if seen.method != methods.UPDATE or seen.sender != "agent":
            return Stream(session_id, None, f"{seen.sender} {seen.method}")
        where = seen.where
        if where is not None and where.part in ("turn", "after"):
            number = self._turns.get((seen.session_id, where.number))
            if number is None:
                return None
            where = Where(where.part, number)
        kind = seen.update or ""
        if kind not in _UPDATES_OF_CALLS:
            return Stream(session_id, where, kind, untold=kind in _UNTOLD)
        named = call_id(seen.text)
        if not named:
            return Stream(session_id, where, kind)
        call = self._calls.get((session_id, where, named), self._calls.get((session_id, named)))
        return None if call is None else Stream(session_id, where, "tool call", call)


def streams(seen: Iterable[Seen], names: Names) -> dict[Stream, list[Seen]]:
    """The frames of a trace by their streams."""
    found: dict[Stream, list[Seen]] = {}
    for one in seen:
        if (name := names.name(one)) is not None:
            found.setdefault(name, []).append(one)
    return found
