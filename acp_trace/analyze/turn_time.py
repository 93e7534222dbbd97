"""Where the time of a turn went: each moment of it belongs to exactly one part. Pure arithmetic.

Tool calls overlap each other and the agent's writing, wait for permission, and read files through the client.
So the parts have an order, and a moment belongs to the first part that claims it (docs/report.md, Time of a
turn). If the model was recorded, `model.turn_time` splits the same time in another way. The caller provides
the intervals of a turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acp_trace.trace.intervals import Interval, claimed


@dataclass(frozen=True, slots=True)
class TurnTime:
    """The parts of a turn's duration, ns, as `facts.Turn` has them."""

    before_output_ns: int
    tools_ns: int
    permissions_ns: int
    requests_ns: int
    writing_ns: int
    rest_ns: int


def split(
    turn: Interval,
    output: int | None,
    *,
    permissions: Iterable[Interval] = (),
    requests: Iterable[Interval] = (),
    tools: Iterable[Interval] = (),
    writing: Iterable[Interval] = (),
) -> TurnTime:
    """Return the parts of a turn, ns: none is negative, and they add up to its duration.

    `output`: when its first output came; None without output: then all remaining time was spent before it.
    Intervals are cut off at the ends of the turn.
    """
    begin, end = turn
    silence = [(begin, end if output is None else output)]
    parts = claimed(turn, (permissions, requests, tools, silence, writing))
    waited, requested, worked, silent, wrote = parts
    return TurnTime(
        before_output_ns=silent,
        tools_ns=worked,
        permissions_ns=waited,
        requests_ns=requested,
        writing_ns=wrote,
        rest_ns=end - begin - sum(parts),
    )
