"""Tool calls and terminals that only updates name: which of the run is which of the recording.

No request pairs them, so they are matched by their turn, their words and their place in it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, ClassVar

from acp_trace.normalize.bindings import ids_in
from acp_trace.protocol import methods, updates
from acp_trace.protocol.payloads import ToolCallView
from acp_trace.replay.plan.recording import OpenRequests, Recording
from acp_trace.trace.entries import Sender

TOOL_CALL, TERMINAL = "tool call", "terminal"


@dataclass(slots=True)
class NamedId:
    """One id: its first place, and what updates said of it."""

    id: str
    turn: int | None
    place: int  #: its position in its turn
    kind: str | None = None
    title: str | None = None


class ToolCallIds:
    """The ids of one run, session by session, in order of appearance."""

    UPDATES: ClassVar[frozenset[str]] = frozenset({*updates.TOOL_CALLS, "terminal_update"})

    def __init__(self) -> None:
        #: The latest kind of each tool call, by session and id.
        self.kinds: dict[tuple[str | None, str], str] = {}
        self._all: dict[tuple[str | None, str], dict[str, NamedId]] = defaultdict(dict)
        self._places: dict[tuple[str | None, str, int | None], int] = defaultdict(int)

    def on_update(self, params: dict[str, Any], session: str | None, turn: int | None) -> None:
        """Process the parameters of an update; `turn`: the turn in which it came."""
        update = params.get("update")
        for what, holder, path in ids_in({"params": params}, methods.UPDATE, "params"):
            id_ = holder[path[-1]]
            if what not in (TOOL_CALL, TERMINAL) or not isinstance(id_, str):
                continue
            named = self._name(what, id_, session, turn)
            if holder is not update:
                continue
            call = ToolCallView(holder)
            named.title = named.title if call.title is None else call.title
            if (kind := call.kind) is not None:
                named.kind = kind
                if what == TOOL_CALL:
                    self.kinds[session, id_] = kind

    def get(self, what: str, session: str | None, id_: str) -> NamedId | None:
        """Return what is known of an id; None if no update named it."""
        return self._all[session, what].get(id_)

    def match(self, what: str, session: str | None, recorded: NamedId, bound: AbstractSet[str]) -> str | None:
        """Return the id most similar to a recorded one, of its turn, else of its session; none of `bound`."""
        free = [named for named in self._all[session, what].values() if named.id not in bound]
        best = max(free, key=lambda named: _likeness(recorded, named), default=None)
        return None if best is None else best.id

    def _name(self, what: str, id_: str, session: str | None, turn: int | None) -> NamedId:
        ids = self._all[session, what]
        if id_ not in ids:
            ids[id_] = NamedId(id_, turn, self._places[session, what, turn])
            self._places[session, what, turn] += 1
        return ids[id_]


def recorded_ids(recording: Recording, peer: Sender) -> ToolCallIds:
    """Return what the updates of one side name in a recording."""
    ids, open_requests = ToolCallIds(), OpenRequests(recording)
    settling: dict[int | None, list[int]] = defaultdict(list)
    for turn in recording.turns.values():
        settling[turn.settled].append(turn.frame)
    for message in recording.messages:
        if message.sender != peer and message.frame in recording.exchanges:
            open_requests.begin(message)
        elif (
            message.sender == peer and message.answers is not None and message.answers not in recording.turns
        ):
            open_requests.end(message.answers)
        elif message.update in ToolCallIds.UPDATES and message.sender == peer:
            of = open_requests.turn_of(message.session, message.update)
            ids.on_update(message.part("params"), message.session, of)
        for frame in settling.get(message.frame, ()):
            open_requests.end(frame)
    return ids


def _likeness(recorded: NamedId, named: NamedId) -> tuple[bool, bool, bool, int]:
    return (
        recorded.turn == named.turn,
        (recorded.title, recorded.kind) == (named.title, named.kind),
        recorded.kind == named.kind,
        -abs(recorded.place - named.place),
    )
