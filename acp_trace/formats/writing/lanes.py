"""Which slices share a track: those of one track follow each other, or lie one inside the other.

Viewers draw a track as a stack, so slices that overlap in part would be drawn wrongly there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

#: Tracks for what happens at once. More would be unreadable, and a hostile trace could ask for any number.
MOST = 64


class TimeSpan(Protocol):
    """Something with a beginning and, unless it never ended, an end."""

    @property
    def start(self) -> float:
        """When it began."""

    @property
    def end(self) -> float | None:
        """When it ended."""


SpanT = TypeVar("SpanT", bound=TimeSpan)


def in_lanes(spans: Iterable[SpanT]) -> Iterator[tuple[SpanT, int | None]]:
    """Spans in the order of their beginnings, outer ones first, each with its lane from 0.

    None: as many lanes as there may be are taken.
    """
    lanes: list[list[float]] = []
    for span in sorted(spans, key=lambda span: (span.start, -_end(span))):
        yield span, _lane(span, lanes)


def _lane(span: TimeSpan, lanes: list[list[float]]) -> int | None:
    end = _end(span)
    for number, ends in enumerate(lanes):
        while ends and ends[-1] <= span.start:
            ends.pop()
        if not ends or end <= ends[-1]:
            ends.append(end)
            return number
    if len(lanes) == MOST:
        return None
    lanes.append([end])
    return len(lanes) - 1


def _end(span: TimeSpan) -> float:
    return float("inf") if span.end is None else span.end
