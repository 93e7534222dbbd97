"""A build: new traces of a place become rows of its tables, committed part by part. docs/team.md, "Tables".

However a build ends, what it has committed stays, and the next build continues there. Files that it has put
without a commit are in no table.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from acp_trace.analyze.version import VERSION
from acp_trace.places import layout
from acp_trace.places.layout import Kept
from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.places.pull import days_in, kept_in
from acp_trace.store import schema
from acp_trace.team.lake import log, plan, unit, workers
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.snapshot import LakeSnapshot
from acp_trace.team.lake.unit import UnitDone
from acp_trace.trace.scratch import scratch

#: Does the units of a plan: yields each as it ends, gets the number of `jobs`, and calls its last argument
#: with numbers of traces. `workers.all_done` does them on this machine.
Engine = Callable[[SharedPlace, Sequence[Unit], int, Callable[[int], None]], Generator[UnitDone]]

_VERSIONS = VERSION, schema.VERSION
#: How often a build commits at least: a killed build need not repeat what it has committed.
_COMMIT_S = 60.0


@dataclass(slots=True)
class Built:
    """The result of a build."""

    commit: int = 0  #: the newest one now
    commits: int = 0  #: how many this build has put
    traces: int = 0  #: that are in the tables because of this build
    removed: int = 0  #: that are no longer in them, because they are not in the place
    files: int = 0  #: that were added
    bytes: int = 0  #: of them
    total: int = 0  #: traces in the tables now
    damaged: list[str] = field(default_factory=list)  #: objects with lines that cannot be read; built
    failed: dict[str, str] = field(default_factory=dict)  #: objects that cannot be built, and why


class BuildProgress:
    """Reports how far a build has come. This base class reports nothing."""

    def begin(self, traces: int) -> None:
        """Begin: this many traces are to be done."""

    def done(self, traces: int) -> None:
        """Advance: this many more are done."""


def build(
    place: SharedPlace,
    jobs: int,
    progress: BuildProgress | None = None,
    commit_s: float = _COMMIT_S,
    engine: Engine = workers.all_done,
    since: str | None = None,
) -> Built:
    """Brings the tables of a place up to date. Raises PlaceError, OSError and duckdb.Error.

    `jobs`: how many units are done at a time. `commit_s`: how long what is done may wait for its commit.
    `since`: a day; those before it are left as they are, and their traces are not listed.
    """
    made = Built()
    snapshot = _checked(place, log.newest(place))
    seen = None
    while True:
        # A list that is older than the commit lacks what others have pushed and built since.
        commits_of_others = snapshot.number - made.commits
        if commits_of_others != seen:
            seen = commits_of_others
            wanted, days = _listed(place, snapshot, since)
        asked = snapshot if wanted is None else snapshot.of_days(wanted)
        units = _planned(place, asked, days, made.failed, jobs)
        if not units:
            break
        snapshot = _checked(
            place, _round(place, snapshot, units, made, jobs, progress or BuildProgress(), commit_s, engine)
        )
    for key in _removed(place, made.failed):
        del made.failed[key]
    made.commit = snapshot.number
    made.total = sum(group.traces for group in snapshot.groups.values())
    return made


def _listed(
    place: SharedPlace, snapshot: LakeSnapshot, since: str | None
) -> tuple[Collection[str] | None, dict[str, dict[str, Kept]]]:
    """The days that a build is about, None for all; and the traces of the place, by these days."""
    if since is None:
        return None, plan.by_day(kept_in(place))
    known = {*days_in(place), *snapshot.by_day()}
    wanted = {day for day in known if day == layout.UNKNOWN or day >= since}
    return wanted, plan.by_day(chain.from_iterable(kept_in(place, day) for day in wanted))


def _removed(place: SharedPlace, failed: Mapping[str, str]) -> set[str]:
    """Of the traces that failed, those that were removed since they were listed.

    What is listed still is away for an executor alone, to which another directory is mounted; and where the
    marker is away, too, so is the place.
    """
    gone = {key for key, why in failed.items() if why == unit.GONE}
    if not gone or not place.has(layout.MARKER):
        return set()
    days = {trace.day for key in gone if (trace := layout.kept(key)) is not None}
    return gone - {trace.key for day in days for trace in kept_in(place, day)}


def _planned(
    place: SharedPlace,
    snapshot: LakeSnapshot,
    days: Mapping[str, Mapping[str, Kept]],
    failed: Collection[str],
    jobs: int,
) -> list[Unit]:
    """What is to be done, from the traces of the place and the tables at a commit."""
    with scratch() as directory:
        built = {
            group.name: unit.ids_of(place, group, directory)
            for group in plan.to_look_into(snapshot, days, _VERSIONS)
        }
    ids = {id_ for of_day in days.values() for id_, trace in of_day.items() if trace.key in failed}
    return plan.plan(snapshot, days, built, _VERSIONS, failed=ids, jobs=jobs)


def _round(
    place: SharedPlace,
    base: LakeSnapshot,
    units: Sequence[Unit],
    made: Built,
    jobs: int,
    progress: BuildProgress,
    commit_s: float,
    engine: Engine,
) -> LakeSnapshot:
    """Does some units and commits them, now and then while others are being done; the newest snapshot.

    If one cannot be done, the others are committed first.
    """
    progress.begin(sum(one.traces for one in units))
    waiting: list[UnitDone] = []
    since, snapshot = time.monotonic(), base
    with scratch() as directory, closing(engine(place, units, jobs, progress.done)) as all_done:
        try:
            for done in all_done:
                waiting.append(done)
                if time.monotonic() - since >= commit_s:
                    snapshot, since = _commit(place, base, waiting, made, directory), time.monotonic()
                    own = {one.group.name: one.group for one in waiting if one.group is not None}
                    base, waiting = replace(base, groups={**base.groups, **own}), []
        except Exception:
            if waiting:
                _commit(place, base, waiting, made, directory)
            raise
        return _commit(place, base, waiting, made, directory) if waiting else snapshot


def _commit(
    place: SharedPlace, base: LakeSnapshot, done: Sequence[UnitDone], made: Built, directory: Path
) -> LakeSnapshot:
    """Commit the finished units, and add them to the result of the build."""

    def empty() -> Path:
        return Path(tempfile.mkdtemp(dir=directory))

    snapshot, committed = log.commit(place, base, done, empty)
    made.commits += bool(committed)
    for one in done:
        made.failed.update(one.failed)
    for one in committed:
        made.damaged += one.damaged
        made.removed += len(one.unit.without)
        if one.group is not None:
            made.traces += one.group.traces if one.unit.derive else 0
            made.files += len(one.group.files)
            made.bytes += one.group.bytes
    return snapshot


def _checked(place: SharedPlace, snapshot: LakeSnapshot) -> LakeSnapshot:
    """The snapshot, unless a newer acp-trace built it: two versions would undo each other's work for ever."""
    for group in snapshot.groups.values():
        if group.rules > VERSION or group.layout > schema.VERSION:
            raise PlaceError(
                f"{place.url}: its tables were built by a newer acp-trace (rules {group.rules}, "
                f"layout {group.layout}); this one has {VERSION} and {schema.VERSION}: update acp-trace"
            )
    return snapshot
