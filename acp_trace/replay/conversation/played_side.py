"""What the player needs of a side that it plays: a recorded, written, or faulty one."""

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
        """Whether far more came than is expected, instead of an answer."""

    @property
    def deadline(self) -> int | None:
        """When it has waited too long; None if it waits for nothing."""

    def begin(self, now: int) -> None:
        """Begin the conversation."""

    def receive(self, line: bytes, now: int) -> Iterable[bytes]:
        """Process a line of the peer, without its newline; return what to write at once."""

    def due(self, now: int) -> Iterable[bytes]:
        """Yield what to write now; each item is written before the next one is requested."""

    def wake(self) -> int | None:
        """Return when to ask for due lines although nothing came; None if only a line changes anything."""

    def on_closed(self) -> None:
        """Note that the peer closed its output: nothing more comes."""

    def give_up(self, id_: str | None, now: int) -> None:
        """Continue as if a request of this side had been refused: its answer will not come.

        `id_`: as in `Message.id`; None for all open requests.
        """
