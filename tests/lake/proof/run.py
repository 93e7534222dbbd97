"""`just lake-proof`: python tests/lake/proof/run.py [--traces N] [--only NAME] [--seed N] [--sources DIR] [--keep DIR].

Traces of a year in one place, damaged ones and giants among them, against a local database of the same
traces, row for row: built by one machine, and by a Spark cluster of two workers; after builders, drivers and
workers that were killed, after several builders at once, and after machines that pushed at once to an S3
server. A build is halted in the phase in which it is to be killed, and a kill counts if it hit that. One line
a scenario; ends with 1 if one of them told a lie. `--traces 600 --fewer 100 --kills 7` takes some minutes.
Without pyspark or Java, what needs them is skipped, and the line says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from acp_trace.team.lake.spark.session import has_java
from tests.faults.stage import Lie, Stage
from tests.lake.proof import builds, kills
from tests.lake.proof.ground import Ground
from tests.lake.proof.kill_points import KillPoints
from tests.lake.proof.pushes import pushes
from tests.spark.cluster import Cluster


class Scenario(NamedTuple):
    """`play` gives the cells of its line, and raises Lie."""

    play: Callable[[], list[str]]
    needs_spark: bool = False


class Proof:
    """All traces, the fewer ones of the kills, and the cluster: each made when it is needed, and once."""

    def __init__(self, stage: Stage, asked: argparse.Namespace) -> None:
        sources = sorted(asked.sources.glob("*.jsonl")) if asked.sources else ()
        self._stage = stage
        self._fewer_on = Stage(stage.folder / "fewer")
        self.all = Ground(stage, asked.traces, asked.seed, sources)
        self.fewer = Ground(self._fewer_on, min(asked.fewer, asked.traces), asked.seed, sources)
        self.kills, self.rounds = asked.kills, asked.rounds
        self.kill_points = KillPoints(stage.folder / "kill-points")
        self._clusters: list[Cluster] = []

    @cached_property
    def cluster(self) -> Cluster:
        """Two workers with a core each."""
        made = Cluster(self._stage.folder / "spark", environment=self.kill_points.environment)
        self._clusters.append(made)
        return made.__enter__()

    def end(self) -> None:
        """Ends all processes."""
        for cluster in self._clusters:
            cluster.__exit__()
        self._fewer_on.__exit__()

    def scenarios(self, *, has_spark: bool) -> dict[str, Scenario]:
        """By their names, in the order in which they are played."""
        return {
            "local database": Scenario(lambda: _begun(self.all)),
            "one machine": Scenario(lambda: builds.one_build(self.all)),
            "Spark, two workers": Scenario(self._by_spark, needs_spark=True),
            "two builders at once": Scenario(lambda: builds.several(self.fewer, self.rounds)),
            "kill -9 of the builder": Scenario(
                lambda: kills.builder(self.fewer, self.kills, self.kill_points)
            ),
            "kill -9 of the driver": Scenario(
                lambda: kills.driver(self.fewer, self.kills, self.cluster, self.kill_points), needs_spark=True
            ),
            "kill -9 of a Spark worker": Scenario(
                lambda: kills.workers(self.fewer, self.kills, self.cluster, self.kill_points),
                needs_spark=True,
            ),
            "8 machines push to S3": Scenario(lambda: pushes(self.fewer, by_spark=has_spark)),
        }

    def _by_spark(self) -> list[str]:
        with self.all.using(self.cluster.url, **self.cluster.environment):
            return builds.one_build(self.all)


def main(argv: Sequence[str]) -> int:
    """Plays the scenarios; 1 where one of them told a lie."""
    asked = _parser().parse_args(argv)
    if platform.system() != "Linux":
        print("skipped: /proc is needed, which Linux has")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    print(
        f"seed {asked.seed}, {asked.traces:,} traces; {asked.fewer:,} where something is killed", flush=True
    )
    folder, began = Path(tempfile.mkdtemp(prefix="acp-trace-lake-", dir=asked.keep)), time.monotonic()
    played = lies = 0
    lacking = _lacking()
    try:
        with Stage(folder) as stage:
            proof = Proof(stage, asked)
            try:
                for name, scenario in proof.scenarios(has_spark=not lacking).items():
                    if not any(word in name for word in asked.only or [""]):
                        continue
                    if scenario.needs_spark and lacking:
                        print(f"{name:<25}  skipped: {lacking}", flush=True)
                        continue
                    played += 1
                    lies += not _play(name, scenario.play)
            finally:
                proof.end()
    finally:
        if not (lies and asked.keep):
            shutil.rmtree(folder, ignore_errors=True)
    if not played:
        print("no scenario was played", file=sys.stderr)
        return 2
    told = "LIES: see above" if lies else "no lie"
    print(f"{played} scenarios, {told}, {time.monotonic() - began:.0f} s")
    return int(lies > 0)


def _begun(ground: Ground) -> list[str]:
    """Makes what all scenarios need."""
    began = time.monotonic()
    size = ground.corpus.bytes
    made = time.monotonic()
    ground.database.stat()
    return [
        f"{len(ground.corpus.traces):,} traces ({size / 1e6:.0f} MB) made in {made - began:.0f} s",
        f"loaded in {time.monotonic() - made:.0f} s",
    ]


def _play(name: str, play: Callable[[], list[str]]) -> bool:
    began = time.monotonic()
    try:
        cells = play()
        honest = True
    except (Lie, AssertionError) as lie:
        cells, honest = [f"LIE: {lie}"], False
    print("  ".join([f"{name:<25}", *cells, f"({time.monotonic() - began:.1f} s)"]), flush=True)
    return honest


def _lacking() -> str:
    """What Spark lacks here; "" if nothing."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: pip install '.[spark]'"
    return "" if has_java() else "Spark needs Java 17 or newer, and there is none"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Builds whatever happens, and what was lost.")
    parser.add_argument("--traces", metavar="N", type=int, default=20_000)
    parser.add_argument(
        "--fewer", metavar="N", type=int, default=1_000, help="traces where something is killed"
    )
    parser.add_argument("--kills", metavar="N", type=int, default=30, help="kill points of each kind")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="of two builders at once")
    parser.add_argument("--only", metavar="NAME", action="append", help="scenarios with NAME in their name")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of traces and kill points")
    parser.add_argument("--sources", metavar="DIR", type=Path, help="make some traces from the *.jsonl there")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="work in DIR, and leave it there at a lie")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
