"""Builds that nobody kills: one, and several at once. Afterwards each row is there once."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

from acp_trace.places.place import SharedPlace
from acp_trace.team.bucket import unfinished
from acp_trace.team.lake import log, names
from acp_trace.team.lake.unused import unused
from tests.faults.stage import must
from tests.lake.proof.equal import equal
from tests.lake.proof.ground import Ground, committed, lake_files, output_of


def one_build(ground: Ground) -> list[str]:
    """A build of all traces by `lake build`, and a second one that has nothing to do."""
    place = ground.place("built")
    code = 3 if ground.corpus.refused else 0
    began = time.monotonic()
    done = json.loads(ground.runs(ground.build(place.url), code))
    took = time.monotonic() - began
    refused(ground, done["failed"])
    must(done["traces"] == done["total"] == len(ground.corpus.traces), f"built: {done['traces']}")
    again = json.loads(ground.runs(ground.build(place.url), code))
    must(again["commits"] == again["files"] == 0, f"the second build: {again}")
    rows = equal(place, ground.database)
    must(lake_files(place) == committed(place), "files that no commit names")
    shutil.rmtree(ground.stage.folder / "built")
    return [
        f"{done['traces']:,} traces",
        f"{len(done['damaged'])} damaged",
        f"{len(done['failed'])} refused",
        f"{took:.0f} s",
        f"{rows:,} rows equal",
    ]


def several(ground: Ground, rounds: int, builders: int = 2) -> list[str]:
    """Builders that start at once, on one place: each ends well, each trace is built by one of them."""
    place, found, rows = ground.place("several"), Counter[str](), 0
    for _ in range(rounds):
        running = [ground.starts(ground.builder(place)) for _ in range(builders)]
        counts = []
        for process in running:
            done = json.loads(output_of(process))
            counts.append(done["traces"])
            found["commits"] += done["commits"]
        traces = len(ground.corpus.traces)
        must(sum(counts) == traces, f"{counts} traces built, {traces} there")
        rows += all_equal(ground, place, found)
    shutil.rmtree(ground.stage.folder / "several")
    return [
        f"{rounds} × {builders} builders",
        f"{found['commits']} commits",
        f"{found['orphans']} files of what the other had built first, 0 in the tables",
        f"{rows:,} rows equal",
    ]


def refused(ground: Ground, failed: list[dict[str, str]]) -> None:
    """What was left out is what is no trace, and no more. Raises Lie."""
    ids = sorted(one["key"].rpartition("/")[2].removesuffix(".jsonl.zst") for one in failed)
    must(ids == sorted(path.stem for path in ground.corpus.refused), f"refused: {ids[:5]}")


def all_equal(ground: Ground, place: SharedPlace, found: Counter[str]) -> int:
    """What must hold when all is built; then the tables go, for the next round. How many rows were equal.

    `found`: the files that no commit names are added to its `orphans`, and those that are half-written to its
    `halves`.
    """
    rows = equal(place, ground.database)
    lake = place.path_of(names.ROOT)
    assert lake is not None
    halves = [path for path in lake.rglob("*") if path.is_file() and "#" in path.name]
    found["orphans"] += len(lake_files(place) - committed(place))
    found["halves"] += len(halves)
    later = datetime.now(UTC) + timedelta(days=2)
    place.remove(unused(place.names(f"{names.ROOT}/"), log.newest(place), later))
    unfinished.remove(place, unfinished.unfinished(place, names.ROOT, names.is_own, later).values())
    must(not any(path.exists() for path in halves), "prune leaves half-written files")
    must(lake_files(place) == committed(place), "prune leaves files that no commit names, or removes others")
    shutil.rmtree(lake)
    os.makedirs(lake)
    return rows
