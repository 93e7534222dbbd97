"""Units and outcomes, with a cluster that is only told of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.spark import engine
from acp_trace.team.lake.spark.engine import JobError, SparkEngine
from acp_trace.team.lake.spark.wire import TaskOutcome
from acp_trace.team.lake.unit import UnitDone
from tests.lake.test_plan import kept
from tests.lake.test_snapshot import group
from tests.lake.traces import place_at

Job = list[tuple[int, TaskOutcome] | Exception]


class Cluster(SparkEngine):
    """Says for each job what is given to it here. `jobs`: which units it was given, by their sizes."""

    def __init__(self, *said: Job) -> None:
        self._context = SimpleNamespace(master="spark://m:1")
        self.said, self.jobs = list(said), list[list[int]]()

    def _job(self, url: str, units: dict[int, Unit]) -> Iterator[tuple[int, TaskOutcome]]:
        assert url.startswith("file://")
        self.jobs.append([one.bytes for one in units.values()])
        for each in self.said.pop(0):
            if isinstance(each, Exception):
                raise each
            yield each


@pytest.fixture
def there(tmp_path: Path) -> SharedPlace:
    """A place with the first file of the groups a, b and c."""
    made = place_at(str(tmp_path / "team"))
    for name in "abc":
        made.put(of(name).object("loads") or "", b"PAR1 and more")
    return made


UNITS = [Unit("2026-11-20", tuple(kept("x", size=size))) for size in (10, 30, 20)]


def of(name: str) -> Any:
    return group(name, [name])


def done(cluster: Cluster, place: SharedPlace) -> Iterator[UnitDone]:
    return cluster.all_done(place, UNITS, 1, lambda _: None)


def names(found: Iterator[UnitDone]) -> list[tuple[int, str]]:
    """Of each unit its size, and the name of its group."""
    return [(one.unit.bytes, one.group.name if one.group else "") for one in found]


def test_the_largest_are_begun_first_and_each_counts_once(there: SharedPlace) -> None:
    """Each as it ends; the same again at the end of the job, and of a task that ran twice, is passed over."""
    early: Job = [(2, TaskOutcome(of("a"))), (0, TaskOutcome(of("b")))]
    late: Job = [(0, TaskOutcome(of("b"))), (1, TaskOutcome(of("c"))), (2, TaskOutcome(of("other")))]
    cluster = Cluster([*early, *late])
    assert names(done(cluster, there)) == [(10, "a"), (30, "b"), (20, "c")]
    assert cluster.jobs == [[30, 20, 10]]


def test_a_unit_that_cannot_be_done(there: SharedPlace) -> None:
    """All others are done first; then it is told."""
    cluster = Cluster(
        [(0, TaskOutcome(problem="w1: no space")), (1, TaskOutcome(of("a"))), (2, TaskOutcome())]
    )
    found = done(cluster, there)
    assert [next(found).unit.bytes for _ in range(2)] == [20, 10]
    with pytest.raises(PlaceError, match="w1: no space"):
        next(found)


def test_a_unit_that_ends_executors(there: SharedPlace) -> None:
    """Spark gives the job up; what is left is begun anew without it, and told at the end."""
    lost = JobError(
        "Task 1 in stage 0.0 failed 4 times, … ExecutorLostFailure (executor 3 exited) Reason: 137"
    )
    cluster = Cluster([(0, TaskOutcome(of("a"))), lost], [(2, TaskOutcome(of("b")))])
    found = done(cluster, there)
    assert [next(found).unit.bytes for _ in range(2)] == [30, 10]
    with pytest.raises(PlaceError, match=r"spark://m:1 lost the executors .* \(137\)"):
        next(found)
    assert cluster.jobs == [[30, 20, 10], [10]]


def test_a_cluster_that_ends(there: SharedPlace) -> None:
    """One line says so."""
    cluster = Cluster(
        [(0, TaskOutcome(of("a"))), JobError("Job 0 cancelled because SparkContext was shut down")]
    )
    with pytest.raises(PlaceError, match="spark://m:1 ended the application"):
        list(done(cluster, there))


def test_executors_that_mean_another_place(there: SharedPlace) -> None:
    """What they have put is not committed: it is not there."""
    with pytest.raises(PlaceError, match="another place for the executors"):
        list(done(Cluster([(0, TaskOutcome(of("elsewhere")))]), there))


@pytest.mark.parametrize(
    ("master", "attempts"), [("local[2]", 1), ("local[2,3]", 3), ("spark://a:1,b:2", 4), ("yarn", 4)]
)
def test_attempts(master: str, attempts: int) -> None:
    """What is tried for the last time is told, not raised."""
    assert engine.attempts(master, {}) == attempts
    assert engine.attempts(master, {"spark.task.maxFailures": "7"}) == (attempts if attempts != 4 else 7)
