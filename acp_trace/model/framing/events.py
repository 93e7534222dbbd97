"""The events that framers return, and the interface of a framer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol


class Event(NamedTuple):
    """One event: its name, if the framing has names, and its data."""

    name: str | None
    data: bytes


class EventFramer(Protocol):
    """Takes a response in any pieces. Never raises; it stops at what cannot be read."""

    def feed(self, data: bytes) -> Iterator[Event]:
        """Return the events that are complete with these bytes."""
        ...

    def end(self) -> Iterator[Event]:
        """Return the events that only the end of the response completes."""
        ...
