"""Rows of `acp-trace ls`: a few facts about a trace, or about a session over all its traces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from acp_trace.analyze import facts
from acp_trace.trace.entries import IMPORTED

#: The label of a log's date in local time of an unknown zone, and how it is written.
LOGGED_AT, LOCAL_DATE = "logged_at", r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d([.,]\d{1,9})?"
_INTERPRETERS = ("sh", "bash", "env", "node", "npx", "uvx", "python", "python3")


def command_name(argv: Sequence[str]) -> str:
    """Return a name for an agent that did not give one: its program, without an interpreter before it."""
    for argument in argv:
        base = argument.replace("\\", "/").rpartition("/")[2]
        if argument == "-c":  # a script on the command line: only its interpreter has a name
            break
        if base and not base.startswith("-") and base not in _INTERPRETERS:
            return base[:40]
    return argv[0].rpartition("/")[2][:40] if argv else "?"


class ListedSession(NamedTuple):
    """The part of a session that one trace has."""

    session_id: str
    title: str | None
    turns: int
    cwd: str | None
    opened_by: str


@dataclass(frozen=True, slots=True, repr=False)
class Listing:
    """One row of `acp-trace ls`. `findings`: the number of each severity, counted as `show` lists them.

    `loaded_at`: when the trace was imported, RFC 3339 in UTC; None outside the store, and for a live trace.
    """

    trace: facts.Trace
    state: Literal["complete", "incomplete", "live"]
    argv: tuple[str, ...]
    labels: dict[str, str]
    sessions: tuple[ListedSession, ...]
    first_prompt: str | None
    first_prompt_cut: bool
    findings: dict[str, int]
    loaded_at: str | None = None
    #: The models that were called, if the model's side was recorded; most calls first.
    models: tuple[str, ...] = ()

    @property
    def logged_at(self) -> str | None:
        """The date of an imported log without a time zone: for people and for sorting, not for arithmetic."""
        said = self.labels.get(LOGGED_AT, "") if self.trace.origin == IMPORTED else ""
        return said.replace(" ", "T").replace(",", ".") if re.fullmatch(LOCAL_DATE, said) else None

    @property
    def began(self) -> str:
        """When the trace began, or else its log's date, or the time of its import: the sort key of traces."""
        return self.trace.started_at or self.logged_at or self.loaded_at or ""

    def __repr__(self) -> str:
        """A short form for lists in a notebook, which only says which trace it is."""
        shown = "id", "state", "agent", "client", "turns", "frames", "first_prompt", "findings"
        return f"Listing({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)}, …)"

    @property
    def id(self) -> str:
        """The trace's id."""
        return self.trace.id

    @property
    def turns(self) -> int:
        """The number of turns in its sessions."""
        return sum(one.turns for one in self.sessions)

    @property
    def frames(self) -> int:
        """The number of frames of both sides."""
        return self.trace.frames_client + self.trace.frames_agent

    @property
    def agent(self) -> tuple[str | None, str | None]:
        """The agent's name and version."""
        return self.trace.agent_name, self.trace.agent_version

    @property
    def client(self) -> tuple[str | None, str | None]:
        """The client's name and version."""
        return self.trace.client_name, self.trace.client_version


def of_facts(trace_facts: facts.Facts, *, live: bool) -> Listing:
    """Return the row of a trace from its facts."""
    turns = Counter(turn.session_id for turn in trace_facts.turns)
    first = next((turn for turn in trace_facts.turns if turn.prompt is not None), None)
    return Listing(
        trace_facts.trace,
        "live" if live else "complete" if trace_facts.trace.complete else "incomplete",
        tuple(msgspec.json.decode(trace_facts.trace.agent_argv)),
        msgspec.json.decode(trace_facts.trace.labels),
        tuple(
            ListedSession(s.session_id, s.title, turns[s.session_id], s.cwd, s.opened_by)
            for s in trace_facts.sessions
        ),
        None if first is None else first.prompt,
        first is not None and first.prompt_cut,
        Counter(finding.severity for finding in trace_facts.findings),
        models=most_called(call.model for call in trace_facts.model_calls),
    )


def most_called(models: Iterable[str | None]) -> tuple[str, ...]:
    """Return the names of the models of calls, each once, the most frequent first."""
    return tuple(name for name, _ in Counter(filter(None, models)).most_common())


@dataclass(frozen=True, slots=True)
class SessionListing:
    """One row of `acp-trace ls --sessions`: an agent's session, in the traces that name it, oldest first.

    Title, directory and agent are the latest that a trace gives. `opened_by`: how each trace opened it.
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
    agent_title: str | None = None


def by_session(rows: Iterable[Listing]) -> list[SessionListing]:
    """Return the sessions of these traces, which come newest first, in the same order.

    The same id of two agents means two sessions: `1` is a valid id. A command identifies a nameless agent.
    """
    sessions: dict[tuple[str, str | tuple[str, ...]], list[tuple[Listing, ListedSession]]] = {}
    for row in rows:
        for part in row.sessions:
            sessions.setdefault((part.session_id, row.agent[0] or row.argv), []).append((row, part))
    return [_session(parts) for parts in sessions.values()]


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
        newest_first[-1][0].trace.started_at,
        last.trace.started_at,
        tuple(one.opened_by for one in reversed(parts)),
        any(row.state == "live" for row, _ in newest_first),
        last.trace.agent_title,
    )
