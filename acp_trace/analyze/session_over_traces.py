"""One session through all its traces: what each has of it, and what only all of them show together. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from acp_trace.analyze.facts import Facts, Finding, Session
from acp_trace.analyze.set_values import lost_between


@dataclass(frozen=True, slots=True)
class SessionPart:
    """What one trace has of the session: its facts, without those of other sessions."""

    facts: Facts
    live: bool

    @property
    def trace_id(self) -> str:
        """The trace."""
        return self.facts.trace.id

    @property
    def session(self) -> Session:
        """The session, as this trace has it."""
        return self.facts.sessions[0]


class TracedFinding(NamedTuple):
    """A finding, and the trace that it is in."""

    trace_id: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class SessionOverTraces:
    """A session. `parts`: at least one, in the order in which the traces began."""

    session_id: str
    parts: tuple[SessionPart, ...]

    @property
    def title(self) -> str | None:
        """The latest that a trace gives."""
        return next((part.session.title for part in reversed(self.parts) if part.session.title), None)

    @property
    def cwd(self) -> str | None:
        """Where it was opened last."""
        return next((part.session.cwd for part in reversed(self.parts) if part.session.cwd), None)

    def findings(self) -> Iterator[TracedFinding]:
        """Those of each trace, with those that only several traces show together, by frame."""
        between = lost_between(((part.trace_id, part.facts) for part in self.parts), self.session_id)
        for part in self.parts:
            findings = [
                *part.facts.findings,
                *(one.finding for one in between if one.trace_id == part.trace_id),
            ]
            for finding in sorted(findings, key=lambda finding: finding.frame):
                yield TracedFinding(part.trace_id, finding)
