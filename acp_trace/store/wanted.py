"""Which traces are meant by `ls`, `ls --sessions` and `stats`: one filter for all of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from acp_trace.analyze.facts import Trace
from acp_trace.analyze.listing import command_name
from acp_trace.store.read import decoded
from acp_trace.store.remove import BadAge, age
from acp_trace.trace.entries import ORIGINAL, RUNS

#: What `--origin` takes.
ORIGINS = (*ORIGINAL, *RUNS)
#: What one that never said its name is asked for by.
UNNAMED = "?"


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """All conditions that are given must hold.

    `agent`, `client`: the name or title, or a glob, in any case; `?` is one without a name, and an agent
    without a name is found by its command as well. `labels`: the values that some labels have. `since`,
    `until`: when the trace began, the second one excluded. `origins`: what it is; runs are left out unless
    asked for.
    """

    agent: str | None = None
    client: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    since: datetime | None = None
    until: datetime | None = None
    origins: tuple[str, ...] = ORIGINAL

    def wants(self, trace: Trace) -> bool:
        """Whether this trace is meant."""
        return trace.origin in self.origins and self.wants_but_origin(trace)

    def wants_but_origin(self, trace: Trace) -> bool:
        """Whether it is meant, regardless of its origin."""
        command = command_name(decoded(trace.agent_argv, list[str]) or ())
        agents = (UNNAMED, command) if trace.agent_name is None else (trace.agent_name, trace.agent_title)
        clients = (UNNAMED if trace.client_name is None else trace.client_name, trace.client_title)
        labels = (decoded(trace.labels, dict[str, str]) or {}) if self.labels else {}
        return (
            _named(self.agent, agents)
            and _named(self.client, clients)
            and all(labels.get(key) == value for key, value in self.labels.items())
            and self._began(trace.started_at)
        )

    def _began(self, started_at: str | None) -> bool:
        if self.since is None and self.until is None:
            return True
        began = _moment(started_at)
        return (
            began is not None
            and (self.since is None or began >= self.since)
            and (self.until is None or began < self.until)
        )


def moment(text: str, now: datetime) -> datetime:
    """The time that `30d` or `12h` before `now` was, or that a date or time names, local if it has no zone.

    `2026-11-20` is that day's first moment here. Raises BadAge.
    """
    try:
        return now - age(text)
    except BadAge:
        pass
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)
    try:
        time = datetime.fromisoformat(text.strip())
        return time.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise BadAge(f"{text!r} is neither an age nor a date: write 12h, 30d, 2w or 2026-11-20") from None


def _named(pattern: str | None, names: tuple[str | None, ...]) -> bool:
    if pattern is None:
        return True
    wanted = pattern.lower()
    return any(name.lower() == wanted or fnmatchcase(name.lower(), wanted) for name in names if name)


def _moment(started_at: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(started_at or "")
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    except ValueError:
        return None
