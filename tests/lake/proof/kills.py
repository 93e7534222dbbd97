"""Builds of which a part is killed, -9, at random moments. When all is built again, each row is there once."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from pathlib import Path
from subprocess import Popen

from acp_trace.bucket.objects import SharedPlace
from tests.faults.stage import belonging, kill, must, wait_until
from tests.lake.proof.builds import over
from tests.lake.proof.ground import LONGEST_S, Ground, lake_files, output_of, traces_in
from tests.spark.cluster import Cluster, wait_for

#: The latest moment of a kill, in seconds from the start: most of that is work.
_BUILDER_S = 8.0
#: The same, from the moment at which executors work: Spark takes long to start.
_SPARK_S = 12.0
#: One in so many kills comes before that.
_EARLY = 4
_LOOK_S = 0.2


def builder(ground: Ground, times: int) -> list[str]:
    """Kills the builder on this machine, each third time one of its processes."""
    return _killed(ground, times, "builder", _BUILDER_S)


def driver(ground: Ground, times: int, cluster: Cluster) -> list[str]:
    """Kills the driver of a Spark cluster. What its executors are at is in their hands."""
    with ground.using(cluster.url, **cluster.environment):
        return _killed(ground, times, "driver", _SPARK_S, cluster)


def workers(ground: Ground, times: int, cluster: Cluster) -> list[str]:
    """Kills workers of a Spark cluster, each third time only an executor: the build goes on, and ends well.

    In the place of a worker comes a new one, at once.
    """
    place, found, rows = ground.place("workers"), Counter[str](), 0
    chance = random.Random(f"{ground.seed} workers")
    alive = list(range(len(cluster.workers)))
    with ground.using(cluster.url, **cluster.environment):
        while found["kills"] < times:
            process = ground.starts(ground.builder(place))
            while process.poll() is None and found["kills"] < times:
                if found["kills"] % _EARLY:
                    _at_work(place, process)
                wait_until(time.monotonic() + chance.uniform(0, _SPARK_S))
                if process.poll() is not None:
                    break
                if found["kills"] % 3 == 2:
                    killed = cluster.kill_executor(choose=chance) is not None
                    found["executors"] += killed
                    found["kills"] += killed
                    continue
                at = chance.randrange(len(alive))
                cluster.kill_worker(alive[at])
                alive[at] = cluster.start_worker()
                found["kills"] += 1
            out = output_of(process)
            must(json.loads(out)["total"] == len(ground.corpus.traces), f"built: {out!r}")
            _quiet(ground, cluster)
            rows += over(ground, place, found)
            found["builds"] += 1
    shutil.rmtree(ground.stage.folder / "workers")
    return [
        f"{times} kill points, {found['executors']} of an executor alone",
        f"{found['builds']} builds, each ended well",
        f"{found['orphans']} files without a commit, 0 in the tables",
        f"{rows:,} rows equal",
        "0 twice",
    ]


def _killed(
    ground: Ground, times: int, name: str, latest_s: float, cluster: Cluster | None = None
) -> list[str]:
    """Kills a build until it was at work so often. Then builds to the end."""
    place, found = ground.place(name), Counter[str]()
    chance = random.Random(f"{ground.seed} {name}")
    rows = before = 0
    while found["kills"] < times:
        process = ground.starts(ground.builder(place))
        if cluster is not None and found["kills"] % _EARLY:
            _at_work(place, process)
        wait_until(time.monotonic() + chance.uniform(0, latest_s))
        is_worker = found["kills"] % 3 == 2 and cluster is None
        ended = _kill(process.pid, is_worker, chance) if process.poll() is None else ""
        _, said = process.communicate(timeout=LONGEST_S)
        if ended == "worker":
            must(process.returncode == 1 and b"a process of the build was killed" in said, f"{said[-300:]!r}")
        if not ended:
            must(process.returncode == 0, f"a build that was not killed: {said[-300:]!r}")
        found[ended] += 1
        found["kills"] += bool(ended)
        now = traces_in(place)
        must(now >= before, f"{before} traces were in the tables, and {now} are now")
        found["that kept something"] += bool(ended) and now > before
        before = now
        if process.returncode == 0:  # all is built: compared, and begun again
            _quiet(ground, cluster)
            rows += over(ground, place, found)
            before = 0
    _quiet(ground, cluster)
    before = traces_in(place)
    done = json.loads(ground.runs(ground.builder(place)))
    left = len(ground.corpus.traces) - before
    must(done["traces"] == left, f"{left} traces were left, {done['traces']} were built")
    _quiet(ground, cluster)
    rows += over(ground, place, found)
    shutil.rmtree(ground.stage.folder / name)
    return [
        f"{times} kill points" + (f", {found['worker']} of a worker" if cluster is None else ""),
        f"{found['that kept something']} kept what they had committed",
        f"{found['orphans']} files without a commit, 0 in the tables, all removed by prune",
        f"{rows:,} rows equal",
        "0 twice",
    ]


def _at_work(place: SharedPlace, process: Popen[bytes]) -> None:
    """Waits until a build puts a file that was not there, or has ended."""
    there, deadline = lake_files(place), time.monotonic() + LONGEST_S
    while process.poll() is None and not lake_files(place) - there:
        must(time.monotonic() < deadline, "a build puts no file")
        wait_until(time.monotonic() + _LOOK_S)


def _kill(builder: int, is_worker: bool, chance: random.Random) -> str:
    """Kills a builder, or one of its processes if there is one: which of the two it was."""
    if is_worker:
        children = Path(f"/proc/{builder}/task/{builder}/children").read_text().split()
        mine = [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if mine:
            kill(int(chance.choice(mine)))
            return "worker"
    kill(builder)
    return "builder"


def _quiet(ground: Ground, cluster: Cluster | None) -> None:
    """Waits until nothing is at work any more that a killed build had started."""
    wait_for(lambda: not belonging(ground.stage.mark), "the end of what a killed build had started")
    if cluster is not None:
        wait_for(lambda: not cluster.executors(), "the end of its executors")
