"""What can be wrong with the store. Each message is one line for people, with what to do."""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot be used."""


class StoreBusy(StoreError):
    """Another process held the store all the time that we waited."""


class Conflict(Exception):
    """The store has another trace under this id."""


class TraceGone(StoreError):
    """The trace was removed, or replaced by a longer recording, while it was being read."""

    def __init__(self, trace_id: str) -> None:
        super().__init__(f"{trace_id} was removed or replaced while it was being read: try again")
