"""What is known of a session while its messages come in, and how that becomes facts.

State only: the rules that change it stand in `sessions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.exchanges import Open
from acp_trace.trace import jsontext

Fact = facts.Session | facts.Turn | facts.ToolCall | facts.Permission | facts.UpdateCount


class Turn(msgspec.Struct, gc=False):
    """A turn: see `facts.Turn`."""

    index: int
    frame: int
    t: int
    prompt: str | None
    settled_frame: int | None = None
    duration_ns: int | None = None
    stop_reason: str | None = None
    error_code: int | None = None
    first_update_ns: int | None = None
    first_output_ns: int | None = None


class ToolCall(msgspec.Struct, gc=False):
    """A tool call: see `facts.ToolCall`."""

    id: str
    turn: int | None
    t: int
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    duration_ns: int | None = None


class Permission(msgspec.Struct, gc=False):
    """A permission: see `facts.Permission`. `kinds`: the kind of each option by its id."""

    turn: int | None
    asked: Open
    kinds: dict[str, str]
    outcome: str = "open"
    option_id: str | None = None


class Session:
    """What is known of one session so far."""

    def __init__(self, session_id: str, frame: int, t: int) -> None:
        self.id = session_id
        self.frame = frame
        self.t = t
        self.opened_by = "unknown"
        self.cwd: str | None = None
        self.title: str | None = None
        self.loading: set[int] = set()  #: frames of the open requests that replay its history
        self.replayed = 0
        self.usage: dict[str, Any] | None = None
        self.updates: dict[str, int] = {}
        self.turns: list[Turn] = []
        self.open_turns: list[Turn] = []
        self.tool_calls: dict[tuple[str, int | None], ToolCall] = {}
        self.latest_call: dict[str, ToolCall] = {}
        self.permissions: list[Permission] = []

    @property
    def turn(self) -> int | None:
        """The turn that something without a turn of its own belongs to: the oldest open one."""
        return self.open_turns[0].index if self.open_turns else None


def facts_of(session: Session) -> Iterator[Fact]:
    """What is known of one session now."""
    named = session.id
    usage = None if session.usage is None else jsontext.text(session.usage).decode()
    yield facts.Session(
        named,
        session.frame,
        session.t,
        session.opened_by,
        session.cwd,
        session.title,
        session.replayed,
        usage,
    )
    for turn in session.turns:
        yield facts.Turn(
            named,
            turn.index,
            turn.frame,
            turn.settled_frame,
            turn.t,
            turn.duration_ns,
            turn.stop_reason,
            turn.error_code,
            turn.first_update_ns,
            turn.first_output_ns,
            turn.prompt,
        )
    for call in session.tool_calls.values():
        yield facts.ToolCall(
            named, call.turn, call.id, call.title, call.kind, call.status, call.t, call.duration_ns
        )
    for one in session.permissions:
        kind = one.kinds.get(one.option_id) if one.option_id is not None else None
        wait = one.asked.latency_ns
        yield facts.Permission(named, one.turn, one.asked.frame, one.outcome, one.option_id, kind, wait)
    for update, count in session.updates.items():
        yield facts.UpdateCount(named, update, count)
