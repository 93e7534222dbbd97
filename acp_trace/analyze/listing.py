"""What `acp-trace ls` says of a trace, and of a session over all its traces: a few facts, flat."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from acp_trace.analyze import facts

_INTERPRETERS = ("sh", "bash", "env", "node", "npx", "uvx", "python", "python3")


def command_name(argv: Sequence[str]) -> str:
    """What to call an agent that did not say its name: its program, behind an interpreter."""
    for argument in argv:
        base = argument.replace("\\", "/").rpartition("/")[2]
        if argument == "-c":  # a script on the command line: its interpreter is all the name there is
            break
        if base and not base.startswith("-") and base not in _INTERPRETERS:
            return base[:40]
    return argv[0].rpartition("/")[2][:40] if argv else "?"


class ListedSession(NamedTuple):
    """What one trace holds of a session."""

    session_id: str
    title: str | None
    turns: int
    cwd: str | None
    opened_by: str


@dataclass(frozen=True, slots=True)
class Listing:
    """One row of `acp-trace ls`."""

    id: str
    started_at: str | None
    state: Literal["complete", "incomplete", "live"]
    agent: tuple[str | None, str | None]
    client: tuple[str | None, str | None]
    protocol_version: int | None
    sessions: tuple[ListedSession, ...]
    turns: int
    frames: int
    duration_ns: int
    argv: tuple[str, ...]
    exit_code: int | None
    signal: int | None
    labels: dict[str, str]
    origin: str
    replay_of: str | None
    aborted: str | None


def of_facts(found: facts.Facts, *, live: bool) -> Listing:
    """The row of a trace whose facts are at hand."""
    trace = found.trace
    turns: dict[str, int] = {}
    for turn in found.turns:
        turns[turn.session_id] = turns.get(turn.session_id, 0) + 1
    return Listing(
        trace.id,
        trace.started_at,
        "live" if live else "complete" if trace.complete else "incomplete",
        (trace.agent_name, trace.agent_version),
        (trace.client_name, trace.client_version),
        trace.protocol_version,
        tuple(
            ListedSession(s.session_id, s.title, turns.get(s.session_id, 0), s.cwd, s.opened_by)
            for s in found.sessions
        ),
        len(found.turns),
        trace.frames_client + trace.frames_agent,
        trace.duration_ns,
        tuple(msgspec.json.decode(trace.agent_argv)),
        trace.exit_code,
        trace.signal,
        msgspec.json.decode(trace.labels),
        trace.origin,
        trace.replay_of,
        trace.aborted,
    )


@dataclass(frozen=True, slots=True)
class SessionListing:
    """One row of `acp-trace ls --sessions`: an agent's session, in the traces that name it, oldest first.

    Title, folder and agent are the latest that a trace gives. `opened_by` is how, trace by trace.
    """

    session_id: str
    title: str | None
    cwd: str | None
    agent: tuple[str | None, str | None]
    argv: tuple[str, ...]
    traces: tuple[str, ...]
    turns: int
    first_started_at: str | None
    last_started_at: str | None
    opened_by: tuple[str, ...]
    live: bool


def by_session(rows: Iterable[Listing]) -> list[SessionListing]:
    """The sessions of these traces, which come newest first; so do they.

    The same id of two agents means two sessions: `1` is an id, too. An agent without a name is its command.
    """
    found: dict[tuple[str, str | tuple[str, ...]], list[tuple[Listing, ListedSession]]] = {}
    for row in rows:
        for part in row.sessions:
            found.setdefault((part.session_id, row.agent[0] or row.argv), []).append((row, part))
    return [_session(parts) for parts in found.values()]


def _session(newest_first: list[tuple[Listing, ListedSession]]) -> SessionListing:
    last, part = newest_first[0]
    parts = [one for _, one in newest_first]
    return SessionListing(
        part.session_id,
        next((one.title for one in parts if one.title is not None), None),
        next((one.cwd for one in parts if one.cwd is not None), None),
        last.agent,
        last.argv,
        tuple(row.id for row, _ in reversed(newest_first)),
        sum(one.turns for one in parts),
        newest_first[-1][0].started_at,
        last.started_at,
        tuple(one.opened_by for one in reversed(parts)),
        any(row.state == "live" for row, _ in newest_first),
    )
