"""The parts of a turn's time: their names on screen, and their owners. docs/report.md defines them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts


class TurnPart(NamedTuple):
    """A part of a turn's time. `field`: of `facts.Turn` and `facts.UnsettledTurn`, in ns."""

    field: str
    name: str
    owner: str  #: whose time it is; without the model's side, the agent and its model are one
    words: str  #: how a sentence calls it: `271 ms of that was …`

    def of(self, turn: facts.Turn | facts.UnsettledTurn) -> int:
        """Return how long it was, in ns; 0 if that is unknown."""
        return getattr(turn, self.field) or 0


#: In the order of the output.
PARTS = (
    TurnPart("before_output_ns", "first output", "agent and model", "before the first output"),
    TurnPart("tools_ns", "tools", "tools", "tools"),
    TurnPart("permissions_ns", "permission", "client", "waiting for a permission"),
    TurnPart("requests_ns", "other requests", "client", "waiting for the client"),
    TurnPart("writing_ns", "writing", "agent and model", "writing"),
    TurnPart("rest_ns", "rest", "agent and model", "the rest"),
)
#: In the order of the bar, of a turn with a recorded model's side.
MODEL_PARTS = (
    TurnPart("model_ns", "model", "model", "the model"),
    TurnPart("tool_ns", "tools", "tools", "tools"),
    TurnPart("client_ns", "client", "client", "waiting for the client"),
    TurnPart("own_ns", "own", "agent", "the agent's own time"),
    TurnPart("unknown_ns", "unknown", "agent or tools", "the agent's or a tool's, unknown which"),
)


def parts(turns: Sequence[facts.Turn]) -> tuple[TurnPart, ...]:
    """Return the parts that describe these turns."""
    return model_parts(turns) if any(turn.model_ns is not None for turn in turns) else PARTS


def model_parts(turns: Iterable[facts.Turn]) -> tuple[TurnPart, ...]:
    """Return the parts with the model's side; without `unknown` if it is 0 in all turns, as it mostly is."""
    return MODEL_PARTS if any(turn.unknown_ns for turn in turns) else MODEL_PARTS[:-1]
