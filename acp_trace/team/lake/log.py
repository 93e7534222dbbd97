"""The commits of a place: reading the newest, and putting the next one unless another process has.

A commit names all files that are the tables. It is one object, put if it is absent: so it is complete or
absent. If two builders commit at once, one is refused, reads the other's commit, and commits on top of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from acp_trace import __version__
from acp_trace.places import packing
from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.store import schema
from acp_trace.team.lake import names, unit
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import BadCommit, LakeSnapshot, TableGroup, decoded
from acp_trace.team.lake.unit import UnitDone


def newest(place: SharedPlace) -> LakeSnapshot:
    """The newest commit; an empty one with the number 0 if there is none. Raises PlaceError."""
    numbers = [names.commit_number(each.name) for each in place.names(f"{names.COMMITS}/")]
    number = max((number for number in numbers if number is not None), default=0)
    if number == 0:
        return LakeSnapshot()
    pieces = place.pieces(names.commit(number))
    if pieces is None:
        raise PlaceError(f"{place.url}: {names.commit(number)} no longer exists")
    try:
        return decoded(number, b"".join(packing.unpacked(pieces)))
    except ValueError as error:
        raise PlaceError(f"{place.url}: {names.commit(number)} {error}: {names.MENDED}") from error
    except BadCommit as error:
        raise PlaceError(f"{place.url}: {error}") from error


class NoTables(PlaceError):
    """The place has no tables yet."""


def newest_to_ask(place: SharedPlace) -> LakeSnapshot:
    """The newest commit, if it has tables and this acp-trace knows their layout.

    Raises PlaceError; before the first build, NoTables.
    """
    snapshot = newest(place)
    if snapshot.number == 0:
        raise NoTables(f"{place.url} has no tables yet: `acp-trace team build {place.url}` makes them")
    newer = max((group.layout for group in snapshot.groups.values()), default=0)
    if newer > schema.VERSION:
        raise PlaceError(
            f"{place.url}: its tables have layout {newer}, and this acp-trace knows {schema.VERSION}: "
            "update acp-trace"
        )
    return snapshot


def commit(
    place: SharedPlace,
    base: LakeSnapshot,
    done: Sequence[UnitDone],
    scratch: Callable[[], Path],
) -> tuple[LakeSnapshot, list[UnitDone]]:
    """Put the next commit, with the results of some units. Return the snapshot, and the units that are in it.

    `base`: the snapshot that the plan was made for. `scratch` makes an empty directory. A unit is left out if
    somebody else replaced what it replaces; traces that somebody else built are left out of its group. Raises
    PlaceError.
    """
    refused = 0
    while True:
        head = newest(place)
        if head.number + 1 == refused:
            why = f"{names.commit(refused)} can neither be read nor replaced: {names.MENDED}"
            raise PlaceError(f"{place.url}: {why}")
        units = [one for one in done if one.unit.replaces <= head.groups.keys()]
        if head.number != base.number:
            units = _without_others(place, base, head, units, scratch)
        removed = [name for one in units for name in one.unit.replaces]
        added = [one.group for one in units if one.group is not None]
        if not removed and not added:
            return head, []
        following = head.replaced(removed, added)
        packed = b"".join(packing.packed([following.encoded(__version__)]))
        if place.put(names.commit(following.number), packed):
            return following, units
        refused = following.number


def _without_others(
    place: SharedPlace,
    base: LakeSnapshot,
    head: LakeSnapshot,
    done: Sequence[UnitDone],
    scratch: Callable[[], Path],
) -> list[UnitDone]:
    """The units without the traces that are in groups of others, which are not in `base`."""
    others = [group for name, group in head.groups.items() if name not in base.groups]
    ids: dict[str, frozenset[str]] = {}

    def of(group: TableGroup) -> frozenset[str]:
        if group.name not in ids:
            ids[group.name] = unit.ids_of(place, group, scratch())
        return ids[group.name]

    left: list[UnitDone] = []
    for one in done:
        group = one.group
        rivals = [other for other in others if group is not None and other.day == group.day]
        if group is None or not rivals:
            left.append(one)
            continue
        theirs = of(group) & frozenset().union(*map(of, rivals))
        if not theirs:
            left.append(one)
        elif theirs != of(group):
            reduced = unit.do(Unit(group.day, copy=(group,), without=theirs), place, scratch())
            left.append(one._replace(group=reduced.group))
    return left
