"""Tool calls and terminals that only updates name: which of the live run's is which of the recording's.

No request pairs them, so they are told by their turn, their words and their place in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, ClassVar

from acp_trace.compare.bindings import ids_in
from acp_trace.protocol import methods, updates
from acp_trace.replay.open_requests import OpenRequests
from acp_trace.replay.recording import Recording
from acp_trace.trace.entries import Sender

TOOL_CALL, TERMINAL = "tool call", "terminal"


@dataclass(slots=True)
class Named:
    """One id: where it stood first, and what was said of it."""

    id: str
    turn: int | None
    place: int  #: the how many-th of its turn
    kind: str | None = None
    title: str | None = None


class ToolCallIds:
    """The ids of one run, session by session, in the order in which they were named."""

    UPDATES: ClassVar[frozenset[str]] = frozenset(
        {updates.TOOL_CALL, updates.TOOL_CALL_UPDATE, "terminal_update"}
    )

    def __init__(self) -> None:
        self._all: dict[tuple[str | None, str], dict[str, Named]] = defaultdict(dict)
        self._places: dict[tuple[str | None, str, int | None], int] = defaultdict(int)

    def take(self, params: dict[str, Any], session: str | None, turn: int | None) -> None:
        """Takes in the parameters of an update; `turn`: in whose course it came."""
        update = params.get("update")
        for what, holder, path in ids_in({"params": params}, methods.UPDATE, "params"):
            named = holder[path[-1]]
            if what in (TOOL_CALL, TERMINAL) and isinstance(named, str):
                found = self._name(what, named, session, turn)
                if holder is update:
                    for key in ("kind", "title"):
                        if isinstance(holder.get(key), str):
                            setattr(found, key, holder[key])

    def kind(self, session: str | None, call: object) -> str | None:
        """The kind of a tool call as it is known now, by the object that names it."""
        named = call.get("toolCallId") if isinstance(call, dict) else None
        found = self._all[session, TOOL_CALL].get(named) if isinstance(named, str) else None
        return None if found is None else found.kind

    def get(self, what: str, session: str | None, named: str) -> Named | None:
        """What is known of an id."""
        return self._all[session, what].get(named)

    def like(self, what: str, session: str | None, one: Named, taken: AbstractSet[str]) -> str | None:
        """The id here that is most like one of the other run: of its turn, else of its session."""
        free = [other for other in self._all[session, what].values() if other.id not in taken]
        found = max(free, key=lambda other: _likeness(one, other), default=None)
        return None if found is None else found.id

    def _name(self, what: str, named: str, session: str | None, turn: int | None) -> Named:
        here = self._all[session, what]
        if named not in here:
            here[named] = Named(named, turn, self._places[session, what, turn])
            self._places[session, what, turn] += 1
        return here[named]


def named(recording: Recording, live: Sender) -> ToolCallIds:
    """What the updates of one side name in a recording."""
    found, open_requests = ToolCallIds(), OpenRequests(recording)
    settling: dict[int | None, list[int]] = defaultdict(list)
    for turn in recording.turns.values():
        settling[turn.settled].append(turn.frame)
    for said in recording.said:
        if said.frame in recording.turns:
            open_requests.begin(said)
        elif said.update in ToolCallIds.UPDATES and said.sender == live:
            found.take(said.part("params"), said.session, open_requests.turn_of(said.session))
        for frame in settling.get(said.frame, ()):
            open_requests.end(frame)
    return found


def _likeness(one: Named, other: Named) -> tuple[bool, bool, bool, int]:
    same_words = (one.title, one.kind) == (other.title, other.kind)
    return one.turn == other.turn, same_words, one.kind == other.kind, -abs(one.place - other.place)
