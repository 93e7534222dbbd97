"""The figures of `acp-trace stats` for an agent, a version of it, or a client, over all its traces.

The store computes them (`store.stats`). Times are ns; a percentile is nearest-rank, and None if n is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: The subject of a row. Rows by `method` are `latency.Latency`.
By = Literal["agent", "agent_version", "client"]


@dataclass(frozen=True, slots=True)
class Spread:
    """Measured times: their number, and how they spread."""

    n: int = 0
    p50_ns: int | None = None
    p95_ns: int | None = None
    max_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Cancels:
    """How cancels ended, by outcome. `internal`: without a request, so it is in none of the others."""

    cancelled: int = 0
    completed: int = 0
    error: int = 0
    unanswered: int = 0
    no_target: int = 0
    internal: int = 0

    @property
    def aimed(self) -> int:
        """The cancels that aimed at a request."""
        return self.cancelled + self.completed + self.error + self.unanswered


@dataclass(frozen=True, slots=True)
class StatsInput:
    """The number of findings of one code that blame one side."""

    code: str
    severity: str
    blame: str
    count: int


@dataclass(frozen=True, slots=True)
class NumberSpread:
    """Counted things: their number, and how they spread."""

    n: int = 0
    p50: int | None = None
    p95: int | None = None
    max: int | None = None


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The recorded model's side: calls, and where the time of the turns with calls went.

    Tokens are as the providers counted them, all together; None if no provider did. `failed`: calls that a
    provider refused, or that broke off; `aborted`: those that the agent broke off. `turn_…`: settled turns.
    """

    calls: int = 0
    failed: int = 0
    aborted: int = 0
    retries: int = 0
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    first_token: Spread = Spread()
    turn_calls: NumberSpread = NumberSpread()
    turn_model: Spread = Spread()
    turn_tool: Spread = Spread()
    turn_client: Spread = Spread()
    turn_own: Spread = Spread()


@dataclass(frozen=True, slots=True)
class Stats:
    """One row. `version` is None if versions are not separated, or if none was given.

    `command`: the program of an agent that never gave its name, else None. `failed_starts`: the traces whose
    agent could not be started. `title`: the name that people see, if no other row has it.
    """

    name: str | None
    version: str | None
    traces: int
    sessions: int
    turns: int
    turn: Spread
    first_output: Spread
    settle: Spread
    cancels: Cancels
    findings: list[StatsInput]
    command: str | None = None
    failed_starts: int = 0
    model: ModelStats = ModelStats()
    title: str | None = None

    def severity(self, severity: str, blame: str) -> int:
        """Return how many findings of a severity blame a side."""
        return sum(one.count for one in self.findings if (one.severity, one.blame) == (severity, blame))
