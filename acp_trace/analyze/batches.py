"""The position of a message within a batch. `protocol.message` reads batches; here are only addresses.

The analyser treats each message of a batch as if it had a frame of its own, whose number is a `BatchPlace`.
Tables keyed by a request's frame therefore hold several requests of one frame, and findings can name the
message. Facts that leave the analyser have plain frame numbers (`without_places`).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from acp_trace.analyze.facts import Facts


class BatchPlace(int):
    """The number of a frame that holds a batch, with the place of one of its messages, from 0.

    Ordered like the frame's number. Equal only to the same place, and written like `12[1]`.
    """

    item: int
    sender: str

    def __new__(cls, frame: int, item: int, sender: str) -> Self:
        """The place of the message `item` of a frame."""
        place = super().__new__(cls, frame)
        place.item, place.sender = item, sender
        return place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BatchPlace) and (int(self), self.item) == (int(other), other.item)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((int(self), self.item))

    def __str__(self) -> str:
        return f"{int(self)}[{self.item}]"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def perhaps_unread(blame: str, *frames: int) -> int | None:
    """The first of these frames that is a batch for the side to blame: many a reader refuses batches."""
    return next((int(one) for one in frames if isinstance(one, BatchPlace) and one.sender != blame), None)


def without_places(made: Facts) -> Facts:
    """The same facts, with the number of the frame for each place in a batch."""
    return made.each(_plain)


def _plain(row: Any) -> Any:
    named = ((each.name, getattr(row, each.name)) for each in dataclasses.fields(row))
    places = {name: int(value) for name, value in named if isinstance(value, BatchPlace)}
    return dataclasses.replace(row, **places) if places else row
