"""What the proxy for ACP over HTTP and WebSocket adds to a round trip. The baseline is mitmproxy in its place.

The client is the same for all of them, and so is the agent: `tests/faults/network/server.py`. mitmproxy passes
all on as it comes: then it records nothing.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from acp_trace.transport.address import remote_address
from acp_trace.transport.client import opened
from acp_trace.transport.remote import RemoteAgent
from tests.bench.modelling import MITMPROXY, STREAMS
from tests.bench.timing import NOTHING, Row, compared, free_port, listens, rounds
from tests.faults.network.staging import Talk
from tests.faults.stage import Stage
from tests.real import packages

_WARM_UP = 100
_MOST_BYTES = 1 << 20
_SCHEMES = {"HTTP": "http", "WebSocket": "ws"}


def network(folder: Path, *, quick: bool) -> list[Row]:
    """A request to the agent and its answer, over each transport. `added`: on top of no proxy."""
    count = 100 if quick else 500
    with Stage(folder / "network") as stage, _mitmproxy(stage, talk := Talk(stage)) as theirs:
        proxy, ours = talk.proxy()
        urls = {"none": talk.url, "ours": ours} | ({"theirs": theirs} if theirs else {})
        rows: list[Row] = []
        for transport, scheme in _SCHEMES.items():
            ways = {
                name: partial(_trips, count, url.replace("http", scheme, 1)) for name, url in urls.items()
            }
            rows += _rows(transport, rounds(3 if quick else 7, ways))
        talk.end(proxy)
    return rows


def _rows(transport: str, runs: list[dict[str, tuple[float, float]]]) -> Iterator[Row]:
    for at, name in enumerate(("p50", "p99")):
        what = f"round trip over {transport}, {name}"
        whole = [(run["ours"][at], run["none"][at]) for run in runs]
        yield compared(what, "µs", whole, "no proxy")
        if "theirs" in runs[0]:
            added = [(run["ours"][at] - run["none"][at], run["theirs"][at] - run["none"][at]) for run in runs]
            yield compared(f"{what}, added", "µs", added, "mitmproxy")


def _trips(count: int, url: str) -> tuple[float, float]:
    """The µs of a round trip: p50 and p99."""
    ordered = sorted(asyncio.run(_all(count, url))[_WARM_UP:])
    return ordered[count // 2], ordered[count * 99 // 100]


async def _all(count: int, url: str) -> list[float]:
    link = await opened(RemoteAgent(remote_address(url)), most_bytes=_MOST_BYTES)
    times = []
    try:
        for number in range(count + _WARM_UP):
            since = time.perf_counter_ns()
            await link.send(
                b'{"jsonrpc":"2.0","id":%d,"method":"ask","params":{"sessionId":"ses_0c1f2d3e"}}' % number
            )
            await link.receive()
            times.append((time.perf_counter_ns() - since) / 1e3)
    finally:
        await link.close()
    return times


@contextmanager
def _mitmproxy(stage: Stage, talk: Talk) -> Iterator[str]:
    """The URL of mitmproxy before the agent; empty if it cannot be installed."""
    try:
        program = packages.python(MITMPROXY) / "mitmdump"
    except packages.OutOfReach as why:
        print(f"network: without mitmproxy: {why}", file=sys.stderr)
        yield ""
        return
    port = free_port()
    words = ["-q", "--mode", f"reverse:http://127.0.0.1:{talk.port}", "--listen-host", "127.0.0.1"]
    (script := stage.folder / "streams.py").write_text(STREAMS)
    words += ["-p", str(port), "-s", str(script), "--set", f"confdir={stage.folder / 'mitmproxy'}"]
    with subprocess.Popen([program, *words], stdin=NOTHING, stdout=NOTHING) as running:
        try:
            listens(port)
            yield f"http://127.0.0.1:{port}/acp"
        finally:
            running.kill()
