"""kill -9 of proxy, server or client, at a random kill point, while connections of both kinds talk."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from pathlib import Path

from tests.faults import stored
from tests.faults.bound import Bound
from tests.faults.network import judging
from tests.faults.network.staging import Talk, done, flows
from tests.faults.stage import DEADLINE_S, Lie, Stage, kill, must, wait_until
from tests.real.network.traced import spoken
from tests.support import entries_in, lines_of

_PART = 0.05  #: of all the time
_EACH = 4  #: connections of a kind
#: The kill point lies this far, at most, behind the first traffic.
_FLOWING_S = 0.5


def proxy(bound: Bound, folder: Path) -> list[str]:
    """The proxy."""
    return _kills(bound, folder, "proxy")


def server(bound: Bound, folder: Path) -> list[str]:
    """The agent's server."""
    return _kills(bound, folder, "server")


def client(bound: Bound, folder: Path) -> list[str]:
    """The client."""
    return _kills(bound, folder, "client")


def _kills(bound: Bound, folder: Path, whom: str) -> list[str]:
    counts: Counter[str] = Counter()

    def kill_point(number: int, chance: random.Random) -> None:
        place = folder / f"{whom}-{number}"
        with Stage(place) as stage:
            try:
                counts.update(_kill_point(stage, whom, chance))
            except Lie as lie:
                raise Lie(f"kill point {number}: {lie}") from None
        shutil.rmtree(place)

    points = bound.repeat(f"kill network {whom}", _PART, kill_point)
    told = [f"{points} kill points", f"{counts['seen']:,} messages seen", "0 missing", "0 unreadable"]
    return [*told, f"{counts['traces']} traces, {counts['complete']} complete"]


def _kill_point(stage: Stage, whom: str, chance: random.Random) -> Counter[str]:
    talk = Talk(stage)
    proxy, url = talk.proxy()
    client, noted = talk.client(url, http=_EACH, ws=_EACH, asks=10_000, updates=20, size=200)
    flows(noted)
    wait_until(time.monotonic() + chance.uniform(0, _FLOWING_S))
    kill({"proxy": proxy, "server": talk.server, "client": client}[whom].pid)
    if whom == "client":
        client.wait(DEADLINE_S)
    else:
        must(done(client)["broken"], "the client noticed nothing")
    if whom == "proxy":
        proxy.wait(DEADLINE_S)
        said = talk.stderr.read_bytes()
        must(said == b"", f"on stderr: {said[-300:]!r}")
        talk.server.terminate()
    else:
        talk.end(proxy)
    files = stage.home.spooled()
    found = judging.sessions(map(lines_of, files))
    counts = Counter(traces=len(files), seen=judging.kept(found, noted.sides(), talk.by_server.sides()))
    for file in files:
        is_complete = "end" in entries_in(file)[-1]
        must(is_complete or whom == "proxy", f"{file.name} has no footer")
        counts["complete"] += is_complete
    frames = {file.stem: sum(map(len, spoken(lines_of(file)))) for file in files}
    stored.load(stage.home.path)
    stored.equal(stage.home.path, (), frames)
    return counts
