"""The barriers of a turn: requests of the agent. Its messages and tool calls keep their side of each.

Between two of them the agent's streams (each kind of message, each tool call) may change order. What the
client sends is no barrier: when it comes, next to what the agent sends meanwhile, is chance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from acp_trace.compare.align import increasing
from acp_trace.compare.keys import POLLS
from acp_trace.compare.sessions import Matched
from acp_trace.compare.story import Where


class Barriers:
    """Frames of the barriers of one turn on both sides."""

    def __init__(self, pairs: Iterable[tuple[int, int]]) -> None:
        kept = increasing(sorted(pairs))  # those that changed places hold nothing apart
        self._a = [one for one, _ in kept]
        self._b = [other for _, other in kept]

    def expected(self, frame: int) -> int:
        """How many barriers come before a frame of the first trace."""
        return bisect_left(self._a, frame)

    def got(self, frame: int) -> int:
        """The same for the second."""
        return bisect_left(self._b, frame)

    def place(self, segment: int) -> str:
        """Where between the barriers that is, for people; nothing where there are none."""
        if not self._a:
            return ""
        return f", after #{self._a[segment - 1]}" if segment else f", before #{self._a[0]}"


NO_BARRIERS = Barriers(())


def of(matched: Matched) -> dict[tuple[str, Where], Barriers]:
    """The barriers of each turn, by session and turn of the first trace."""
    pairs: dict[tuple[str, Where], list[tuple[int, int]]] = {}
    for both, (one, other) in matched.requests:
        if both is not None and one.sender == "agent" and one.where is not None and one.method not in POLLS:
            pairs.setdefault((both[0].id, one.where), []).append((one.frame, other.frame))
    return {key: Barriers(some) for key, some in pairs.items()}
