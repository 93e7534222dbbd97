"""What framers give, and what each of them does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol


class Event(NamedTuple):
    """One event: its name, if the framing has names, and its data."""

    name: str | None
    data: bytes


class EventFramer(Protocol):
    """Takes a response in any pieces. Never raises; what cannot be read ends it."""

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that are complete with these bytes."""
        ...

    def end(self) -> Iterator[Event]:
        """The events that only the end of the response completes."""
        ...
