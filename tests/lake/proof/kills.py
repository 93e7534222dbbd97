"""Builds of which a part is killed, -9, where something can be lost. When all is built again, each row is there once.

A plan says in which phase each kill falls (`phases.py`). A build is halted there, and after a random small moment,
in which its other processes go on, it is killed. A kill that did not hit its phase is tried again.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from subprocess import Popen

from tests.faults.stage import belonging, kill, must, over, wait_until
from tests.lake.proof import phases
from tests.lake.proof.builds import all_equal
from tests.lake.proof.ground import LONGEST_S, Ground, output_of, traces_in
from tests.lake.proof.kill_points import Halted, KillPoint, KillPoints
from tests.lake.proof.phases import STARTING, Phase
from tests.spark.cluster import Cluster, below, wait_for

#: The most that passes between the halt and the kill.
_MOMENT_S = 0.3
_TRIES = 5
#: When less than one trace in so many is left, a build is left in peace, and the next begins anew.
_LAST = 5
#: Spark gives a task up that failed four times.
_KILLS_OF_A_BUILD = 3


def builder(ground: Ground, times: int, points: KillPoints) -> list[str]:
    """Kills the builder on this machine, or one of its processes."""
    with ground.using(**points.environment):
        return _Killed(ground, "builder", points).all(times)


def driver(ground: Ground, times: int, cluster: Cluster, points: KillPoints) -> list[str]:
    """Kills the driver of a Spark cluster. What its executors are at is in their hands."""
    with ground.using(cluster.url, **cluster.environment, **points.environment):
        return _Killed(ground, "driver", points, cluster).all(times)


def workers(ground: Ground, times: int, cluster: Cluster, points: KillPoints) -> list[str]:
    """Kills workers of a Spark cluster, executors, and the Python of a task: the build goes on, and ends well.

    In the place of a worker comes a new one, at once.
    """
    with ground.using(cluster.url, **cluster.environment, **points.environment):
        return _KilledWorkers(ground, "workers", points, cluster).all(times)


class _Killed:
    """A place whose builds are killed, and what was found."""

    def __init__(self, ground: Ground, name: str, points: KillPoints, cluster: Cluster | None = None) -> None:
        self.ground, self.points, self._cluster = ground, points, cluster
        self.place, self.chance = ground.place(name), random.Random(f"{ground.seed} {name}")
        self.hits, self.found, self.rows = Counter[str](), Counter[str](), 0
        self._name, self._traces = name, len(ground.corpus.traces)

    def all(self, times: int) -> list[str]:
        """Kills so often. What became of it."""
        for phase in phases.plan(times, self.chance):
            for number in range(_TRIES):
                if self._killed_in(phase, is_first=number == 0):
                    self.hits[phase.name] += 1
                    break
            else:
                must(False, f"{_TRIES} builds were not {phase.name} when they were to be killed")
            if self.left() * _LAST < self._traces:
                self._built()
        self._built()
        shutil.rmtree(self.ground.stage.folder / self._name)
        return [
            f"{times} kill points"
            + (f", {self.found['process']} of one of its processes" if not self._cluster else ""),
            phases.told(self.hits),
            f"{self.found['that kept something']} kept what they had committed",
            *self.cells(),
        ]

    def cells(self) -> list[str]:
        """What every scenario with kills has found."""
        return [
            f"{self.found['orphans']} files without a commit",
            f"{self.found['halves']} half-written",
            "0 of them in the tables, all removed by prune",
            f"{self.rows:,} rows equal",
            "0 twice",
        ]

    def left(self) -> int:
        """How many traces are not in the tables."""
        return self._traces - traces_in(self.place)

    def asked(self, phase: Phase, *, is_first: bool) -> KillPoint:
        """The next kill point: in the first half of what is left, or where a build comes for certain."""
        return self.points.ask(phase, phase.nth(self.left(), self.chance) if is_first else 1, self.chance)

    def halted(self, point: KillPoint, process: Popen[bytes]) -> Halted | None:
        """Where the build stands a moment later; None if it is not in the phase, but at its end or further."""
        halted = point.wait(process)
        if halted is not None:
            wait_until(time.monotonic() + self.chance.uniform(0, _MOMENT_S) * (point.phase.name != STARTING))
            self._see(point.phase, halted)
        return halted

    def _see(self, phase: Phase, halted: Halted) -> None:
        must(phase.shows(self.place, halted.name), f"{halted.name}: the place does not look {phase.name}")

    def _killed_in(self, phase: Phase, *, is_first: bool) -> bool:
        """Kills a build in a phase; whether it hit that."""
        before, point = self.left(), self.asked(phase, is_first=is_first)
        began = time.monotonic()
        in_processes = self._cluster is None and self.chance.random() < 0.5
        process = self.ground.starts(self.ground.builder(self.place, in_processes=in_processes))
        halted = self.halted(point, process)
        victim = "" if process.poll() is not None else self._kill(process, halted)
        did_hit = bool(victim) and halted is not None and not (phase.name == STARTING and point.times())
        _, said = process.communicate(timeout=LONGEST_S)
        self.quiet()
        self.points.clear()
        self.points.learn(point, began)
        now = self.left()
        must(now <= before, f"{before} traces were not in the tables, and {now} are not now")
        if not victim:
            must(process.returncode == 0 and now == 0, f"a build that was not killed: {said[-300:]!r}")
            self._again()
            return False
        if victim == "process":
            must(process.returncode == 1 and b"a process of the build was killed" in said, f"{said[-300:]!r}")
        elif halted is not None:
            self._see(phase, halted)
        self.found[victim] += 1
        self.found["that kept something"] += now < before
        return did_hit

    def _kill(self, process: Popen[bytes], halted: Halted | None) -> str:
        """Kills the builder, or now and then the process of it that stands still: which of the two it was."""
        is_process = self._cluster is None and halted is not None and halted.pid not in (0, process.pid)
        if halted is not None and is_process and self.chance.random() < 0.7:
            kill(halted.pid)
            return "process"
        process.kill()
        return "builder"

    def _built(self) -> None:
        """Builds what is left, compares, and begins anew."""
        left = self.left()
        done = json.loads(self.ground.runs(self.ground.builder(self.place)))
        must(done["traces"] == left, f"{left} traces were left, {done['traces']} were built")
        self.quiet()
        self._again()

    def _again(self) -> None:
        self.rows += all_equal(self.ground, self.place, self.found)

    def quiet(self) -> None:
        """Waits until nothing is at work any more that a build had started."""
        mark = self.ground.stage.mark
        wait_for(lambda: not belonging(mark), "the end of what a killed build had started")
        if self._cluster is not None:
            wait_for(lambda: not self._cluster or not self._cluster.executors(), "the end of its executors")
            wait_for(lambda: not self.points.executors(), "the end of their Pythons")


class _KilledWorkers(_Killed):
    """The same where the build itself lives on, so that it can lose more than one."""

    def all(self, times: int) -> list[str]:
        """Kills so often. What became of it."""
        plan, tries = phases.plan(times, self.chance), Counter[str]()
        while plan:
            began, points = time.monotonic(), list[KillPoint]()
            process = self.ground.starts(self.ground.builder(self.place))
            for number in range(_KILLS_OF_A_BUILD):
                if not plan or (number and plan[-1].name == STARTING):
                    break
                phase = plan[-1]
                points.append(self.asked(phase, is_first=not tries[phase.name]))
                halted = self.halted(points[-1], process)
                if halted is None:
                    tries[phase.name] += 1
                    must(tries[phase.name] < _TRIES, f"{_TRIES} builds were never {phase.name}")
                    break
                self._kill_part(halted)
                points[-1].go()
                self.hits[phase.name] += 1
                tries[phase.name] = 0
                plan.pop()
            self.points.clear()
            done = json.loads(output_of(process))
            must(done["total"] == self._traces, f"built: {done}")
            self.points.learn(points[0], began)
            self.quiet()
            self._again()
            self.found["builds"] += 1
        shutil.rmtree(self.ground.stage.folder / self._name)
        each = ", ".join(f"{self.found[one]} of {one}s" for one in ("worker", "executor", "task"))
        return [
            f"{times} kill points: {each}",
            phases.told(self.hits),
            f"{self.found['builds']} builds, each ended well",
            *self.cells(),
        ]

    def _kill_part(self, halted: Halted) -> None:
        """Kills a worker, an executor or the Python of a task in turn: what stands still, or what that belongs to."""
        cluster = self._cluster
        assert cluster is not None
        kind = ("worker", "executor", "task")[self.hits.total() % 3]
        alive = [number for number, one in enumerate(cluster.workers) if one.poll() is None]
        of_task = [number for number in alive if halted.pid in below(cluster.workers[number].pid)]
        worker = of_task[0] if of_task else self.chance.choice(alive)
        executors = [pid for pid in cluster.executors(worker) if not of_task or halted.pid in below(pid)]
        if kind == "task" and of_task:
            kill(halted.pid)
        elif kind != "worker" and executors:
            kind = "executor"
            kill(self.chance.choice(executors))
        else:
            kind = "worker"
            cluster.kill_worker(worker)
            cluster.start_worker()
        self.found[kind] += 1
        must(not of_task or over(halted.pid), "what stood still outlives its executor")
