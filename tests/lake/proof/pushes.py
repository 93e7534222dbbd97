"""Machines that push at once to an S3 server, some of them killed: every trace is there once, whole.

Then the tables are built in the bucket, by one machine and by a cluster, and asked.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from unittest.mock import patch

from acp_trace.places import pull
from acp_trace.places.address import url_of
from acp_trace.places.opening import open_place
from acp_trace.places.place import SharedPlace
from tests.faults.stage import must, wait_until
from tests.lake.proof import builds
from tests.lake.proof.equal import equal
from tests.lake.proof.ground import Ground, output_of, put_refused
from tests.lake.proof.s3 import S3
from tests.spark.cluster import Cluster
from tests.support import ACP_TRACE

_MACHINES = 8
#: The longest way of a machine before it is killed.
_LATEST_S = 6.0
_QUESTION = "SELECT count(*) AS n FROM traces WHERE agent_name IS NOT NULL"


def pushes(ground: Ground, *, by_spark: bool) -> list[str]:
    """Eight machines, each with three of four traces, half of them killed and started again. Then builds."""
    traces, chance = ground.corpus.traces, random.Random(f"{ground.seed} pushes")
    with S3() as s3, patch.dict(os.environ, s3.environment), ground.using(**s3.environment):
        address = s3.bucket("traces")
        cells = _pushed(ground, address, chance)
        place = open_place(url_of(address, "/"))
        _there_once(place, traces)
        _whole(place, traces, chance)
        for number, path in enumerate(ground.corpus.refused):
            put_refused(place, path, number)
        cells.append(_built(ground, place, address))
        if by_spark:
            _emptied(place)
            with (
                Cluster(ground.stage.folder / "spark-s3") as cluster,  # with this process' environment
                ground.using(cluster.url, **cluster.environment),
            ):
                cells.append(f"by Spark {_built(ground, place, address)}")
    return cells


def _pushed(ground: Ground, address: str, chance: random.Random) -> list[str]:
    traces, found = ground.corpus.traces, Counter[str]()
    shares = [chance.sample(traces, len(traces) * 3 // 4) for _ in range(_MACHINES)]
    shares[0] += sorted(set(traces).difference(*shares))
    began = time.monotonic()
    running = [_pusher(ground, address, number, share) for number, share in enumerate(shares)]
    wait_until(began + chance.uniform(1, _LATEST_S))
    for process in running[::2]:
        found["killed"] += process.poll() is None
        process.kill()
        process.communicate()
    running[::2] = [_pusher(ground, address, number, shares[number]) for number in range(0, _MACHINES, 2)]
    for process in running:
        states = Counter(one["state"] for one in json.loads(output_of(process))["traces"])
        must(not states.keys() - {"pushed", "there"}, f"{states}")
        found.update(states)
    took = time.monotonic() - began
    sent = sum(map(len, shares))
    return [
        f"{_MACHINES} machines, {found['killed']} killed and started again",
        f"{sent:,} pushes of {len(traces):,} traces in {took:.0f} s",
        f"{found['there']:,} were there already",
        "each there once, whole",
    ]


def _pusher(ground: Ground, address: str, number: int, share: Sequence[Path]) -> Popen[bytes]:
    """A machine with a spool of its own, from which it pushes."""
    home = ground.stage.folder / f"machine-{number}"
    with ground.using(ACP_TRACE_HOME=str(home)):
        return ground.starts([*ACP_TRACE, "push", address, *map(str, share), "--as-is", "--json"])


def _built(ground: Ground, place: SharedPlace, address: str) -> str:
    """Builds, and compares; what a question answers is what the local database has."""
    done = json.loads(ground.runs(ground.build(address), 3 if ground.corpus.refused else 0))
    builds.refused(ground, done["failed"])
    rows = equal(place, ground.database)
    asked = [ground.runs([*ACP_TRACE, "query", *at, _QUESTION, "--json"]) for at in (["--at", address], [])]
    must(asked[0] == asked[1], f"asked: {asked}")
    return f"{done['traces']:,} built from S3 and asked, {rows:,} rows equal"


def _emptied(place: SharedPlace) -> None:
    """Without tables, as before the first build."""
    place.remove([each.name for each in place.names("lake/")])


def _there_once(place: SharedPlace, traces: Sequence[Path]) -> None:
    ids = Counter(each.id for each in pull.kept_in(place))
    must(set(ids) == {path.stem for path in traces}, f"{len(ids)} traces there, {len(traces)} were pushed")
    must(ids.total() == len(ids), f"there more than once: {[id_ for id_, n in ids.items() if n > 1][:3]}")


def _whole(place: SharedPlace, traces: Sequence[Path], chance: random.Random) -> None:
    """A thousand of them, byte for byte."""
    files = {path.stem: path for path in traces}
    kept = pull.kept_in(place)
    for each in chance.sample(kept, min(1000, len(kept))):
        must(b"".join(pull.lines(place, each)) == files[each.id].read_bytes(), f"{each.id} has other bytes")
