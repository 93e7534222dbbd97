"""Which turns of a session are open: the only rule for it, for the analyser, comparisons and replays.

A message in a session belongs to its oldest open turn: prompts may be queued, and are processed one by one
(docs/report.md, Turn). A turn that never settles ends at the next prompt of its session, which gets all later
messages. Only a whole recording can show whether a turn settles; a live observer assumes that every turn
does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

Turn = TypeVar("Turn")


class OpenTurns(Generic[Turn]):
    """The open turns of one session, oldest first, each under a key: its number, or its prompt's frame."""

    __slots__ = ("_endless", "_order", "_turns")

    def __init__(self) -> None:
        self._turns: dict[int, Turn] = {}
        #: Keys of open turns, and of some that are over. None before the first turn: a deque takes 600 bytes.
        self._order: deque[int] | None = None
        self._endless: list[int] = []

    def begin(self, key: int, turn: Turn, *, settles: bool = True) -> list[Turn]:
        """Begin the turn of a prompt; return the turns that end by it, because they never settle."""
        ended = self.end_endless()
        if not settles:
            self._endless.append(key)
        self._turns[key] = turn
        if self._order is None:
            self._order = deque()
        self._order.append(key)
        return ended

    def end_endless(self) -> list[Turn]:
        """End the turns that never settle, as the next prompt does."""
        ended = [turn for turn in map(self.settle, self._endless) if turn is not None]
        self._endless.clear()
        return ended

    def settle(self, key: int) -> Turn | None:
        """End a turn and return it; None if it was already over."""
        return self._turns.pop(key, None)

    def get(self, key: int) -> Turn | None:
        """Return a turn, as long as it is open."""
        return self._turns.get(key)

    @property
    def oldest(self) -> Turn | None:
        """The turn that something without a turn of its own belongs to."""
        while self._order and self._order[0] not in self._turns:
            self._order.popleft()
        return self._turns[self._order[0]] if self._order else None

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._turns.values())

    def __len__(self) -> int:
        return len(self._turns)
