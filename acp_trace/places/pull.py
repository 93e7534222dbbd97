"""Traces of a place: which one is meant, its lines, and which are too old. docs/team.md, "Read"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from acp_trace.places import layout, packing
from acp_trace.places.layout import Kept
from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.store.remove import outdated
from acp_trace.trace import near_misses
from acp_trace.trace.counts import counted
from acp_trace.trace.names import may_mean, short

_LAST = re.compile(r"last(?:~(\d{1,9}))?")


class NotInPlace(Exception):
    """No trace of the place, or more than one, is meant. `candidates`: the nearest ids."""

    def __init__(self, why: str, candidates: list[str]) -> None:
        super().__init__(why)
        self.candidates = candidates


class BadObject(PlaceError):
    """An object is gone, damaged or cut off; the others may not be."""


def kept_in(place: SharedPlace, day: str | None = None) -> list[Kept]:
    """The traces of a place, or of one of its days, the newest first. Other objects are passed over.

    Raises PlaceError.
    """
    prefix = f"{layout.TRACES}/" if day is None else layout.prefix(day)
    found = [layout.kept(each.name, each.size) for each in place.names(prefix)]
    return sorted((each for each in found if each is not None), key=_newest, reverse=True)


def each_once(traces: list[Kept]) -> list[Kept]:
    """Of two objects with one id the first by name, as in the tables; in their order.

    A trace is there twice if it was pushed before its agent had said its name, and again when it was whole.
    """
    first: dict[str, str] = {}
    for each in traces:
        first[each.id] = min(first.get(each.id, each.key), each.key)
    return [each for each in traces if each.key == first[each.id]]


def days_in(place: SharedPlace) -> list[str]:
    """The days for which a place has traces, the newest first, and UNKNOWN last. Raises PlaceError."""
    found = {name.rpartition("day=")[2].strip("/") for name in place.directories(f"{layout.TRACES}/")}
    return sorted(found, key=lambda day: (day != layout.UNKNOWN, day), reverse=True)


def is_last(text: str) -> bool:
    """Whether it counts from the newest trace: `last`, `last~2`."""
    return _LAST.fullmatch(text) is not None


def find(place: SharedPlace, text: str) -> Kept:
    """The trace that an id, or a unique beginning or end of one, names; or `last`, `last~2`.

    Raises NotInPlace and PlaceError.
    """
    if last := _LAST.fullmatch(text):
        newest, number = each_once(kept_in(place)), int(last[1] or 0)
        if number < len(newest):
            return newest[number]
        raise NotInPlace(f"{place.url} has {count(len(newest))}", [])
    if (day := layout.day(text)) != layout.UNKNOWN:  # the whole id says where it is
        for each in each_once(kept_in(place, day)):
            if each.id == text:
                return each
    traces = each_once(kept_in(place))
    matches = {each.id: each for each in traces if text and may_mean(text, each.id)}
    if text in matches:
        return matches[text]
    if len(matches) == 1:
        return next(iter(matches.values()))
    if matches:
        raise NotInPlace(f"{text} matches {len(matches)} traces of {place.url}", list(matches)[:5])
    ids = [each.id for each in traces]
    nearest = near_misses.nearest(text, ids, aliases={short(id_): id_ for id_ in ids})
    raise NotInPlace(f"{place.url} has no trace {text}", nearest)


def to_prune(
    traces: list[Kept], *, older_than: timedelta | None, keep: int | None, now: datetime
) -> list[Kept]:
    """Those that are too old, or beyond the newest `keep`, as in the store. `traces`: the newest first."""
    began = [(each, layout.began(each.id)) for each in traces]
    return outdated(began, older_than=older_than, keep=keep, now=now)


def lines(place: SharedPlace, trace: Kept) -> Iterator[bytes]:
    """The lines of a trace, piece by piece. Raises PlaceError: BadObject if it is gone or damaged."""
    pieces = place.pieces(trace.key)
    if pieces is None:
        raise BadObject(f"{place.url}: {trace.key} no longer exists")
    try:
        yield from packing.unpacked(pieces)
    except ValueError as error:
        raise BadObject(f"{place.url}: {trace.key} {error}") from error


def count(traces: int) -> str:
    """`2 traces`, `no trace`."""
    return counted(traces, "trace") if traces else "no trace"


def _newest(trace: Kept) -> tuple[bool, str]:
    return (trace.day != layout.UNKNOWN, trace.id)
