"""What a build has to do: which traces are derived, which groups are replaced. Pure.

A *unit* is done by one process, and becomes one group, which takes the place of those that it replaces. Units
of one plan have no trace and no group in common, so they can be done, and committed, in any order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from acp_trace.places.layout import Kept
from acp_trace.team.lake.snapshot import LakeSnapshot, TableGroup, mark_of, mark_of_groups

#: The most packed bytes, and traces, of a unit that derives: some hundred MB of lines, a minute or two.
UNIT_BYTES = 32 << 20
UNIT_TRACES = 5000
#: Not worth a process of its own.
_LEAST_BYTES = 1 << 20
#: A group below this is small; this many small ones in one day are merged.
SMALL_BYTES = 64 << 20
MERGED_FROM = 8
#: The most that one merge reads.
MERGE_BYTES = 512 << 20


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a plan: traces to derive, or groups to copy without some of their traces."""

    day: str
    derive: tuple[Kept, ...] = ()
    copy: tuple[TableGroup, ...] = ()
    without: frozenset[str] = frozenset()  #: ids of traces that are not copied
    replaces: frozenset[str] = field(default=frozenset())  #: names of groups

    @property
    def traces(self) -> int:
        """How many traces it is about."""
        return len(self.derive) + sum(group.traces for group in self.copy)

    @property
    def bytes(self) -> int:
        """How much it reads."""
        return sum(trace.size for trace in self.derive) + sum(group.bytes for group in self.copy)


def by_day(traces: Iterable[Kept]) -> dict[str, dict[str, Kept]]:
    """The traces of each day by their ids, both in order. Of two with one id the first by name counts."""
    days: dict[str, dict[str, Kept]] = {}
    for trace in sorted(traces, key=lambda trace: trace.key):
        days.setdefault(trace.day, {}).setdefault(trace.id, trace)
    return {day: dict(sorted(days[day].items())) for day in sorted(days)}


def to_look_into(
    snapshot: LakeSnapshot, days: Mapping[str, Mapping[str, Kept]], versions: tuple[int, int]
) -> list[TableGroup]:
    """The groups whose traces must be known.

    These are groups of days whose traces differ from the place's, or that have something older to replace.
    """
    looked: list[TableGroup] = []
    for day, groups in snapshot.by_day().items():
        if mark_of_groups(groups) != mark_of(days.get(day, ())) or any(_is_old(g, versions) for g in groups):
            looked += groups
    return looked


def plan(
    snapshot: LakeSnapshot,
    days: Mapping[str, Mapping[str, Kept]],
    built: Mapping[str, Collection[str]],
    versions: tuple[int, int],
    *,
    failed: Collection[str] = (),
    jobs: int = 1,
) -> list[Unit]:
    """The units of a build, by day.

    `days`: all traces of the place, as `by_day` has them. `built`: the ids in each group that `to_look_into`
    names. `versions`: of rules and of tables, today; what is older is derived again. `failed`: ids of traces
    that are left out.
    """
    groups = snapshot.by_day()
    units: list[Unit] = []
    for day in sorted(days.keys() | groups.keys()):
        traces, of_day = days.get(day, {}), groups.get(day, [])
        stay: list[TableGroup] = []
        for group in of_day:
            unit = _replacing(group, traces, built.get(group.name), versions)
            if unit is None:
                stay.append(group)
            else:
                units.append(unit)
        if not of_day or any(group.name in built for group in of_day):
            done = {id_ for group in of_day for id_ in built.get(group.name, ())}
            new = [trace for id_, trace in traces.items() if id_ not in done and id_ not in failed]
            units += [Unit(day, derive=part) for part in _parts(new, jobs)]
        units += _merges(day, stay)
    return units


def _is_old(group: TableGroup, versions: tuple[int, int]) -> bool:
    return (group.rules, group.layout) != versions


def _replacing(
    group: TableGroup, traces: Mapping[str, Kept], ids: Collection[str] | None, versions: tuple[int, int]
) -> Unit | None:
    """What takes the place of a group; None if it stays.

    `ids`: of its traces; None if they need not be known.
    """
    if ids is None:
        return None
    replaces = frozenset([group.name])
    left = sorted(id_ for id_ in ids if id_ in traces)
    if _is_old(group, versions):
        return Unit(group.day, derive=tuple(traces[id_] for id_ in left), replaces=replaces)
    if len(left) == len(ids):
        return None
    gone = frozenset(ids) - traces.keys()
    return Unit(group.day, copy=(group,) if left else (), without=gone, replaces=replaces)


def _parts(traces: Sequence[Kept], jobs: int) -> Iterator[tuple[Kept, ...]]:
    """The traces in parts of about the same size: few, but as many as there are processes.

    A trace that is as large as a part is one alone, so that nothing waits for it. The others are in their
    order.
    """
    total = sum(trace.size for trace in traces)
    count = max(-(-total // UNIT_BYTES), min(jobs, total // _LEAST_BYTES), 1)
    if count > 1:
        giants = [trace for trace in traces if trace.size * count >= total]
        yield from ((trace,) for trace in giants)
        traces = [trace for trace in traces if trace.size * count < total]
        total, count = sum(trace.size for trace in traces), max(count - len(giants), 1)
    room = -(-total // count)
    part: list[Kept] = []
    size = 0
    for trace in traces:
        part.append(trace)
        size += trace.size
        if size >= room or len(part) >= UNIT_TRACES:
            yield tuple(part)
            part, size = [], 0
    if part:
        yield tuple(part)


def _merges(day: str, groups: Sequence[TableGroup]) -> Iterator[Unit]:
    """The small groups of a day as larger ones, if they are many."""
    small = [group for group in groups if group.bytes < SMALL_BYTES]
    if len(small) < MERGED_FROM:
        return
    part: list[TableGroup] = []
    for group in small:
        if part and sum(one.bytes for one in part) + group.bytes > MERGE_BYTES:
            yield _merged(day, part)
            part = []
        part.append(group)
    if len(part) > 1:
        yield _merged(day, part)


def _merged(day: str, groups: Sequence[TableGroup]) -> Unit:
    return Unit(day, copy=tuple(groups), replaces=frozenset(group.name for group in groups))
