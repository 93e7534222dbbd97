"""The position of a message within a frame: in a batch, or in an envelope. This module only has addresses.

The analyser treats each message of a batch as if it had a frame of its own, whose number is a `BatchPlace`.
Tables keyed by a request's frame therefore hold several requests of one frame, and findings can name the
message. Facts that leave the analyser have plain frame numbers (`without_places`).
"""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from acp_trace.analyze.facts import Facts


class _Place(int):
    """A frame number with a place in the frame. Ordered like the number; equal only to the same place."""

    _written: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and self._written == other._written

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._written)

    def __str__(self) -> str:
        return self._written

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class BatchPlace(_Place):
    """The number of a frame that holds a batch, with the place of one of its messages, from 0: `12[1]`."""

    item: int
    sender: str

    def __new__(cls, frame: int, item: int, sender: str) -> Self:
        """Return the place of the message `item` of a frame."""
        place = super().__new__(cls, frame)
        place.item, place.sender = item, sender
        place._written = f"{int(frame)}[{item}]"
        return place


class EnvelopePlace(_Place):
    """The number of a frame (or a place in it) that holds an envelope, for the message inside: `12›`."""

    def __new__(cls, envelope: int) -> Self:
        """Return the place of the message in this envelope."""
        place = super().__new__(cls, envelope)
        place._written = f"{envelope}›"
        return place


def perhaps_unread(blame: str, *frames: int) -> int | None:
    """Return the first of these frames that is a batch for the side to blame: many readers refuse batches."""
    return next((int(one) for one in frames if isinstance(one, BatchPlace) and one.sender != blame), None)


def without_places(made: Facts) -> Facts:
    """Return the same facts, with the frame number instead of each place in a batch."""
    return made.each(_plain)


def _plain(row: Any) -> Any:
    named = ((each.name, getattr(row, each.name)) for each in dataclasses.fields(row))
    places = {name: int(value) for name, value in named if isinstance(value, BatchPlace)}
    return dataclasses.replace(row, **places) if places else row
