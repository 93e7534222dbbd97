"""The sessions of subagents: who announced them, when they worked, and what their users were asked meanwhile.

A turn waits for its subagents. So their time is time of tools in the turn of the session that announced them,
and what they ask the client for is time of its client.
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
    from acp_trace.analyze.state import SessionState, Told

#: How many sessions of subagents, one below the other, are followed.
_DEEPEST = 20


class SubagentState(msgspec.Struct, gc=False):
    """The session of a subagent. `turn`: the one of its parent in which it was announced."""

    parent: str
    turn: int | None
    since: list[int]  #: when it began to work (ns)
    until: list[int]  #: when it was idle again; one less while it works
    title: str | None = None
    call: str | None = None  #: toolCallId of the call in the parent's session that it works for

    @property
    def worked_ns(self) -> int | None:
        """How long it worked; None while it does."""
        if len(self.until) < len(self.since):
            return None
        return sum(until - since for since, until in zip(self.since, self.until, strict=True))

    @property
    def runs(self) -> list[Interval]:
        """From when until when it worked."""
        return list(zip(self.since, [*self.until, *[FOR_EVER] * len(self.since)], strict=False))


class SubagentWork(NamedTuple):
    """What the subagents of a turn did: when they worked, and what they asked the client for."""

    runs: list[Interval]
    permissions: list[Open]
    requests: list[Open]


class Subagents:
    """Takes in what announces sessions of subagents, and what says of whom they are."""

    def __init__(self) -> None:
        self.all: dict[str, SubagentState] = {}

    def announced(self, told: Told) -> str | None:
        """Takes in a `subagent_update`: the id of the session that it is about."""
        update, t = told.update.members, told.t
        named = subagents.announced(update)
        if named is None or named == told.session.id:
            return named
        subagent = self.all.get(named)
        if subagent is None:
            subagent = self.all[named] = SubagentState(told.session.id, told.session.turn_now, [t], [])
        subagent.title = string_or_none(update.get("title")) or subagent.title
        state, works = subagents.state(update), len(subagent.until) < len(subagent.since)
        if works and state == "idle":
            subagent.until.append(t)
        elif not works and state == "running":
            subagent.since.append(t)
        return named

    def parent(self, session_id: str) -> str | None:
        """The session that announced this one."""
        subagent = self.all.get(session_id)
        return None if subagent is None else subagent.parent

    def work(self, sessions: Mapping[str, SessionState]) -> dict[tuple[str, int | None], SubagentWork]:
        """What was done below each turn of each session that announced subagents."""
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
        """The session and turn that announced it, and those above that."""
        for _ in range(_DEEPEST):
            yield subagent.parent, subagent.turn
            above = self.all.get(subagent.parent)
            if above is None:
                return
            subagent = above
