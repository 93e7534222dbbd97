"""One session through all its traces: the part in each, and what only all of them show together. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from acp_trace.analyze import history
from acp_trace.analyze.facts import ROWS, Facts, Finding, Session
from acp_trace.analyze.set_values import lost_between


@dataclass(frozen=True, slots=True)
class SessionPart:
    """The part of the session in one trace: its facts, without those of other sessions."""

    facts: Facts
    live: bool
    first_turn: int = 0  #: number of turns in the traces before it

    @property
    def trace_id(self) -> str:
        """The id of the trace."""
        return self.facts.trace.id

    @property
    def session(self) -> Session:
        """The session, as this trace has it."""
        return self.facts.sessions[0]

    def numbered(self) -> Facts:
        """Return its facts with turns numbered through all traces, and no session name: traces give names."""
        lists = {}
        for name in ROWS:
            rows = getattr(self.facts, name)
            if rows is self.facts.sessions:
                rows = [replace(session, name="") for session in rows]
            has_turn = bool(rows) and hasattr(rows[0], "turn")
            lists[name] = [self._moved(row) for row in rows] if has_turn else rows
        return Facts(self.facts.trace, **lists)

    def _moved(self, row: Any) -> Any:
        return row if row.turn is None else replace(row, turn=row.turn + self.first_turn)


class TracedFinding(NamedTuple):
    """A finding, and the id of its trace."""

    trace_id: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class SessionOverTraces:
    """A session. `parts`: at least one, in the order in which the traces began."""

    session_id: str
    parts: tuple[SessionPart, ...]

    @property
    def title(self) -> str | None:
        """The latest title that a trace gives."""
        return next((part.session.title for part in reversed(self.parts) if part.session.title), None)

    @property
    def cwd(self) -> str | None:
        """The directory in which it was opened last."""
        return next((part.session.cwd for part in reversed(self.parts) if part.session.cwd), None)

    def findings(self) -> Iterator[TracedFinding]:
        """Yield the findings of each trace, with those that only several traces show together, by frame."""
        traces = [(part.trace_id, part.facts) for part in self.parts]
        between = [*lost_between(traces, self.session_id), *history.between(traces, self.session_id)]
        for part in self.parts:
            findings = [
                *part.facts.findings,
                *(one.finding for one in between if one.trace_id == part.trace_id),
            ]
            for finding in sorted(findings, key=lambda finding: finding.frame):
                yield TracedFinding(part.trace_id, finding)
