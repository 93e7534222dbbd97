"""What the player needs of a side that it plays: a recorded one, a written one, or either with faults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class PlayedSide(Protocol):
    """One side of a conversation. Times are ns, monotonic. No I/O: the player has the pipes."""

    @property
    def gone(self) -> bool:
        """Whether the peer closed its output."""

    @property
    def closed(self) -> bool:
        """Whether nothing more is sent."""

    @property
    def is_flooded(self) -> bool:
        """Whether far more came than is expected."""

    @property
    def is_drowned(self) -> bool:
        """Whether what came instead of an answer is far more than is expected."""

    @property
    def deadline(self) -> int | None:
        """When it has waited for too long; None if it waits for nothing."""

    def begin(self, now: int) -> None:
        """The conversation begins."""

    def receive(self, line: bytes, now: int) -> Iterable[bytes]:
        """Takes in a line of the peer, without its newline; what is to be written at once."""

    def due(self, now: int) -> Iterable[bytes]:
        """What is to be written now; each is written before the next one is asked for."""

    def wake(self) -> int | None:
        """When to ask for what is due although nothing came; None if only a line changes anything."""

    def on_closed(self) -> None:
        """The peer closed its output: nothing more comes."""

    def give_up(self, id_: str | None, now: int) -> None:
        """Goes on as if a request of this side had been refused: its answer will not come.

        `id_`: as `Message.id` has it; None for all that are open.
        """
