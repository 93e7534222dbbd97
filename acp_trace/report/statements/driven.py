"""A scripted session as reports want it: the outcomes of its steps and of what the agent announces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from acp_trace.report.statements.replays import ShownFault


@dataclass(frozen=True, slots=True)
class DrivenPart:
    """A step, or something that the agent announces, with its outcome. `why`: the error, if there is one.

    `status`: `done`, `refused` (answered with an error), `unanswered`; of a step `skipped`, of a feature
    `not exercised`.
    """

    name: str
    status: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Driven:
    """A scripted session that is over. `why`: why it ended too early; None if it did not.

    `file`: where its trace is, if a file was named. `stops`: how its turns ended. `notes`: what the agent
    asked for and did not get.
    """

    trace_id: str
    file: str | None
    agent: str  #: name and version, as far as they are known
    frames: int
    steps: Sequence[DrivenPart]
    stops: Sequence[str]
    features: Sequence[DrivenPart]
    notes: Sequence[str]
    why: str | None
    faults: Sequence[ShownFault] = ()  #: that were made on purpose
    logs: Sequence[str] = ()  #: what the agent wrote to stderr

    @property
    def counted(self) -> str:
        """The steps in words: `14 of 15 steps done, 1 refused`."""
        counts = Counter(step.status for step in self.steps)
        rest = "".join(f", {counts[each]} {each}" for each in counts if each != "done")
        return f"{counts['done']} of {len(self.steps)} steps done{rest}"
