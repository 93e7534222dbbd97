"""Many connections at once, and clients that read slowly."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

from tests.faults import stored
from tests.faults.bound import Bound
from tests.faults.model.staging import peak_mb
from tests.faults.network import judging
from tests.faults.network.staging import Noted, Talk, done
from tests.faults.stage import Stage, must
from tests.real.network.traced import spoken
from tests.support import lines_of, until

_MANY, _ASKS, _FEW_ASKS = 100, 5, 1
_NAP_S = 3.0
#: What a slow reader is sent: far more than all that may be held for it.
_UPDATES, _SIZE = 2000, 32_000
#: Memory of the proxy beyond what it has with nothing to do, and what is on its way to a client that does not
#: read: buffers of the system on both connections included.
_MORE_MB, _ON_THE_WAY_MB = 40.0, 24.0
_KINDS = ("http", "ws")


def crowd(bound: Bound, folder: Path) -> list[str]:
    """A hundred connections over HTTP, then over WebSocket: all open before the first is answered."""
    told = []
    for kind in _KINDS:
        with Stage(folder / kind) as stage:
            talk = Talk(stage)
            asked = {kind: _MANY, "asks": bound.either(full=_ASKS, short=_FEW_ASKS)}
            direct, _noted = talk.client(talk.url, **asked)
            without = _slowest(done(direct))
            proxy, url = talk.proxy()
            client, noted = talk.client(url, **asked)
            took = _slowest(done(client))
            peak = peak_mb(proxy.pid)
            talk.end(proxy)
            count = _all_there(stage, talk, noted)
        told.append(
            f"{kind}: {count:,} messages in {took:.1f} s, {without:.1f} s without, proxy {peak:.0f} MB"
        )
    return [f"{_MANY} sessions at once", *told, "0 lost"]


def slow_readers(_: Bound, folder: Path) -> list[str]:
    """A client that reads a byte now and then, then everything; beside it another one, as fast as ever."""
    told = []
    for kind in _KINDS:
        with Stage(folder / kind) as stage:
            talk = Talk(stage)
            proxy, url = talk.proxy()
            quick, first = talk.client(url, **{kind: 1})
            done(quick)
            before = peak_mb(proxy.pid)
            slow_url, go = talk.slowly(url, _NAP_S)
            slow, noted = talk.client(slow_url, **{kind: 1, "updates": _UPDATES, "size": _SIZE})
            until(partial(_has_sent, talk.by_server), "what the server sends")
            ahead = _held(talk.by_server, noted)
            quick, also = talk.client(url, **{kind: 1, "asks": _ASKS})
            done(quick)
            go.touch()
            must(not done(slow)["broken"], "the slow client's connection broke")
            more = peak_mb(proxy.pid) - before
            talk.end(proxy)
            _all_there(stage, talk, first, noted, also)
        must(more < _MORE_MB, f"{kind}: the proxy takes {more:.0f} MB more")
        must(ahead < _ON_THE_WAY_MB, f"{kind}: {ahead:.0f} MB were sent to a client that does not read")
        told.append(f"{kind}: the agent was {ahead:.1f} MB ahead, the proxy took {more:.0f} MB more")
    return [*told, f"{_UPDATES * _SIZE / 1e6:.0f} MB each, bytes equal"]


def _has_sent(server: Noted) -> bool:
    return server.sizes()[1] > _SIZE * 20


def _held(by_server: Noted, by_client: Noted) -> float:
    """The most MB that were sent and not received, while the client hardly reads."""
    most, since = 0, time.monotonic()
    while time.monotonic() - since < _NAP_S:
        most = max(most, by_server.sizes()[1] - by_client.sizes()[0])
        time.sleep(0.05)
    return most / 1e6


def _all_there(stage: Stage, talk: Talk, *clients: Noted) -> int:
    """Whether traces have all that clients noted, and then the store all traces; how many messages."""
    files = stage.home.spooled()
    found = judging.sessions(map(lines_of, files))
    count, theirs = 0, talk.by_server.sides()
    for each in clients:
        ours = each.sides()
        count += judging.whole({name: found[name] for name in ours[1] if name in found}, ours, theirs)
    must(len(found) == len(files), f"{len(files)} traces of {len(found)} sessions")
    kept = stage.folder / "kept"
    kept.mkdir()
    for file in files:
        os.link(file, kept / file.name)
    counts = {file.stem: sum(map(len, spoken(lines_of(file)))) for file in files}
    stored.load(stage.home.path)
    stored.equal(stage.home.path, sorted(kept.iterdir()), counts)
    return count


def _slowest(said: dict[str, list[float]]) -> float:
    must(not said["broken"], f"connections broke: {said['broken'][:3]}")
    return max(said["took"])
