"""The sessions of subagents: who announced them, when they worked, and what they asked their client.

A turn waits for its subagents. So their work counts as tool time in the turn of the session that announced
them, and their requests to the client count as time of the client.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from acp_trace.analyze.state import FOR_EVER
from acp_trace.protocol import subagents
from acp_trace.trace.intervals import Interval
from acp_trace.trace.jsontext import string_or_none

if TYPE_CHECKING:
    from acp_trace.analyze.exchanges import Open
    from acp_trace.analyze.state import SessionState, SessionUpdate

#: Greatest depth to which nested subagents are followed.
_DEEPEST = 20


class SubagentState(msgspec.Struct, gc=False):
    """The session of a subagent. `turn`: the turn of its parent in which it was announced."""

    parent: str
    turn: int | None
    since: list[int]  #: when each run began (ns)
    until: list[int]  #: when each run ended (ns); one entry less while it works
    title: str | None = None
    call: str | None = None  #: toolCallId of the call in the parent's session that it works for

    @property
    def worked_ns(self) -> int | None:
        """Return how long it worked (ns), or None while it works."""
        if len(self.until) < len(self.since):
            return None
        return sum(until - since for since, until in zip(self.since, self.until, strict=True))

    @property
    def runs(self) -> list[Interval]:
        """Return the intervals in which it worked."""
        return list(zip(self.since, [*self.until, *[FOR_EVER] * len(self.since)], strict=False))


class SubagentWork(NamedTuple):
    """The work of a turn's subagents: when they worked, and what they asked the client for."""

    runs: list[Interval]
    permissions: list[Open]
    requests: list[Open]


class Subagents:
    """Tracks which sessions belong to subagents, and who announced them."""

    def __init__(self) -> None:
        self.all: dict[str, SubagentState] = {}

    def announced(self, session_update: SessionUpdate) -> str | None:
        """Process a `subagent_update` and return the id of the session that it is about."""
        update, t = session_update.update.members, session_update.t
        named = subagents.announced(update)
        if named is None or named == session_update.session.id:
            return named
        subagent = self.all.get(named)
        if subagent is None:
            subagent = self.all[named] = SubagentState(
                session_update.session.id, session_update.session.turn_now, [t], []
            )
        subagent.title = string_or_none(update.get("title")) or subagent.title
        state, works = subagents.state(update), len(subagent.until) < len(subagent.since)
        if works and state == "idle":
            subagent.until.append(t)
        elif not works and state == "running":
            subagent.since.append(t)
        return named

    def parent(self, session_id: str) -> str | None:
        """Return the session that announced this one."""
        subagent = self.all.get(session_id)
        return None if subagent is None else subagent.parent

    def work(self, sessions: Mapping[str, SessionState]) -> dict[tuple[str, int | None], SubagentWork]:
        """Return the subagents' work for each turn of each session that announced some."""
        found: dict[tuple[str, int | None], SubagentWork] = {}
        for session_id, subagent in self.all.items():
            session = sessions.get(session_id)
            for parent, turn in self._above(subagent):
                work = found.setdefault((parent, turn), SubagentWork([], [], []))
                work.runs.extend(subagent.runs)
                if session is not None:
                    work.permissions.extend(each.asked for each in session.permissions)
                    work.requests.extend(one for each in session.requests.values() for one in each)
        return found

    def _above(self, subagent: SubagentState) -> Iterator[tuple[str, int | None]]:
        """Yield the session and turn that announced it, and those above them."""
        for _ in range(_DEEPEST):
            yield subagent.parent, subagent.turn
            above = self.all.get(subagent.parent)
            if above is None:
                return
            subagent = above
