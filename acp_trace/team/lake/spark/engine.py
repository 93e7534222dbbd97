"""The units of a plan, done by the executors of a Spark cluster.

One job does all of them, one task each, the largest first: Spark gives tasks to executors in turn, so the
largest ones are on different executors, and a trace, which is in one unit, is never split. Each unit comes
back as soon as its task has ended, through an accumulator, which Spark updates once for each task that
counts. So what was done can be committed while the others go on. A task that ran twice, because its executor
was lost or was slow, has put the files of two groups; one of them comes back, and only that one is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.spark import problems, task, wire
from acp_trace.team.lake.unit import UnitDone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOOK_S = 0.2
_SCHEMA = "unit long, data binary"
#: Of a file of Parquet.
_MAGIC = b"PAR1"
#: The most units that may be too much for an executor: each time the others are begun again.
_MOST_GIVEN_UP = 3


class SparkEngine:
    """Does units on the executors of a session, which the caller has opened and closes."""

    def __init__(self, spark: SparkSession) -> None:
        self._context = spark.sparkContext
        # With settings of its own: one partition for each row is nothing that the caller asked for.
        self._spark = spark.newSession()
        self._attempts = attempts(self._context.master, self._context.getConf())

    @property
    def cores(self) -> int:
        """How many tasks the executors do at once, as far as they are there."""
        return int(self._context.defaultParallelism)

    def check(self, place: SharedPlace) -> None:
        """Raises PlaceError if the executors lack a package, or do not reach the place."""
        url, count = place.url, self.cores * 2
        tasks = self._context.parallelize(range(count), count)
        try:
            found: list[task.Surroundings] = tasks.map(lambda _: task.look(url)).collect()
        except Exception as error:
            raise PlaceError(f"{self._named}{problems.line_of(str(error))}") from error
        for one in found:
            if one.lacking:
                raise PlaceError(f"{one.host} {task.lacks(one.lacking)}")
            if one.problem:
                raise PlaceError(f"as {one.host} sees it, {one.problem}")

    def all_done(
        self, place: SharedPlace, units: Sequence[Unit], _: int, tick: Callable[[int], None]
    ) -> Generator[UnitDone]:
        """The result of each unit, as they end, like `workers.all_done`.

        Raises PlaceError at its end if a unit could not be done: when all others are.
        """
        left = dict(enumerate(sorted(units, key=lambda one: one.bytes, reverse=True)))
        wrong: list[str] = []
        given_up = 0
        while left:
            numbers = list(left)
            try:
                for number, outcome in self._job(place.url, left):
                    one = left.pop(number, None)
                    if one is None:
                        continue
                    tick(one.traces)
                    if outcome.problem:
                        wrong.append(outcome.problem)
                        continue
                    done = outcome.of(one)
                    _see(place, done)
                    yield done
            except JobError as error:
                at, given_up = problems.task_of(str(error)), given_up + 1
                failure = f"{self._named}{problems.line_of(str(error))}"
                if at is None or given_up > _MOST_GIVEN_UP or numbers[at] not in left:
                    raise PlaceError(failure) from error
                left.pop(numbers[at])
                wrong.append(failure)
        if wrong:
            raise PlaceError(wrong[0])

    @property
    def _named(self) -> str:
        return f"{self._context.master} "

    def _job(self, url: str, units: dict[int, Unit]) -> Iterator[tuple[int, wire.TaskOutcome]]:
        """Run some units. Yield the result of each, as they end, and perhaps twice. Raises JobError."""
        early = self._context.accumulator([], _appending())
        group = f"acp-trace-{uuid4().hex}"
        with ThreadPoolExecutor(1) as thread:
            job = thread.submit(self._collected, url, units, early, group)
            try:
                yield from _as_they_end(job, early)
            finally:
                if not job.done():
                    self._context.cancelJobGroup(group)

    def _collected(self, url: str, units: dict[int, Unit], early: Any, group: str) -> list[tuple[int, bytes]]:
        """All rows of a job at its end."""
        import pyarrow as pa

        attempts = self._attempts

        def work(batches: Iterator[Any]) -> Iterator[Any]:
            from pyspark import TaskContext

            is_last = TaskContext.get().attemptNumber() + 1 >= attempts
            return task.work(batches, url, early.add, is_last=is_last)

        packed = [wire.packed_unit(one) for one in units.values()]
        rows = pa.table({"unit": list(units), "data": pa.array(packed, pa.binary())})
        self._context.setJobGroup(group, "acp-trace team build")
        self._spark.conf.set("spark.sql.leafNodeDefaultParallelism", len(units))
        frame = self._spark.createDataFrame(rows, _SCHEMA)
        try:
            return [(row["unit"], bytes(row["data"])) for row in frame.mapInArrow(work, _SCHEMA).collect()]
        except Exception as error:
            raise JobError(str(error)) from error


class JobError(Exception):
    """What Spark said of a job that did not end well."""


def _as_they_end(job: Future[list[tuple[int, bytes]]], early: Any) -> Iterator[tuple[int, wire.TaskOutcome]]:
    """The results of a job: of each task when it has ended, and then of all of them."""
    taken = 0
    ended = False
    while not ended:
        ended = bool(wait([job], _LOOK_S).done)
        rows = early.value[taken:]
        taken += len(rows)
        yield from ((number, wire.outcome_of(data)) for number, data in rows)
    yield from ((number, wire.outcome_of(data)) for number, data in job.result())


def _appending() -> Any:
    """Adds lists to a list."""
    from pyspark import AccumulatorParam

    class Appending(AccumulatorParam):  # type: ignore[misc]  # has no types here
        def zero(self, value: list[Any]) -> list[Any]:  # noqa: ARG002
            return []

        def addInPlace(self, value1: list[Any], value2: list[Any]) -> list[Any]:  # noqa: N802
            value1 += value2
            return value1

    return Appending()


def _see(place: SharedPlace, done: UnitDone) -> None:
    """Sees that the executor and this process mean the same place. Raises PlaceError."""
    if done.group is None:
        return
    name = done.group.object("loads") or ""
    try:
        found = place.part(name, 0, len(_MAGIC))
    except PlaceError:
        found = b""
    if found != _MAGIC:
        raise PlaceError(
            f"{place.url} is another place for the executors than for this machine: use a bucket, or a "
            "directory that all of them share"
        )


def attempts(master: str, conf: Any) -> int:
    """How often Spark tries a task: once on this machine, unless the master says another number."""
    if master.startswith("local"):
        failures = master.rpartition(",")[2].rstrip("]") if "," in master else "1"
        return int(failures) if failures.isdigit() else 1
    return int(conf.get("spark.task.maxFailures", "4"))
