"""`just faults`: python tests/faults/run.py [--seconds N] [--pairs] [--only NAME] [--seed N] [--keep DIR].

Kills, starves and floods real recorders, loaders and replays between real clients and agents, and counts
what was lost: one line a scenario. Ends with 1 where a promise is not kept. Each kill has 200 kill points and each
load a minute, as far as they fit into ten minutes; with `--seconds` into less. With `--pairs`, what loads take says
nothing.
"""

from __future__ import annotations

import argparse
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.faults import crowd, cuts, disks, kills, loaders, loads, outs, replays
from tests.faults.bound import Bound
from tests.faults.model import losses, scenarios
from tests.faults.network import kills as network_kills
from tests.faults.network import loads as network_loads
from tests.faults.stage import Lie

#: A scenario gives the cells of its line, and raises Lie.
Scenario = Callable[[Bound, Path], list[str]]

#: Two of these at a time, the longest first: they wait for processes as much as they work.
BESIDE: dict[str, Scenario] = {
    "kill -9 of the loader": loaders.loader,
    "kill -9 of the recorder": kills.recorder,
    "kill -9 of the agent": kills.agent,
    "kill -9 of the client": kills.client,
    "kill -9 of replays": replays.replays,
    "kill -9 while --out becomes lines": outs.out,
    "a capture cut at every byte": cuts.cut,
    "a file-size limit, on and off": disks.limited,
    "a full disk, and emptied": disks.full,
    "kill -9 of a model's recorder": losses.recorder,
    "kill -9 of a model's proxy": losses.proxy,
    "kill -9 of a network's proxy": network_kills.proxy,
    "kill -9 of a network's server": network_kills.server,
    "kill -9 of a network's client": network_kills.client,
    "a file-size limit, with a model": losses.limited,
    "a full disk, with a model": losses.full,
    "a provider that errs and breaks off": scenarios.errors,
    "the spool deleted": disks.deleted,
    "the spool read-only": disks.read_only,
}
#: These have the machine to themselves.
ALONE: dict[str, Scenario] = {
    "8 recorders, and commands beside": crowd.crowd,
    "one-byte writes, both ways": loads.one_byte_writes,
    "64 MB in a frame, both ways": loads.giant_frames,
    "300 MB in a line, through cat": loads.huge_line,
    "a million frames": loads.many_frames,
    "50,000 frames/s": loads.held_rate,
    "a flood in both directions": loads.duplex_flood,
    "64 MB to a model and back": scenarios.large,
    "200 streams of a model": scenarios.many,
    "100 sessions over HTTP and WebSocket": network_loads.crowd,
    "a slow reader over HTTP, WebSocket": network_loads.slow_readers,
    "a client that reads slowly": loads.slow_client,
    "a client that reads last": loads.client_that_reads_last,
    "an agent that never reads": loads.deaf_agent,
}
SCENARIOS = {**BESIDE, **ALONE}
#: What these promise hangs on time: a rate that is held, a store that is free before a command gives up, an answer.
_TIMED = ("50,000 frames/s", "8 recorders, and commands beside", "64 MB to a model and back")
_SECONDS = 560.0  #: ten minutes with what a scenario needs before and after its kill points


def main(argv: Sequence[str]) -> int:
    """Plays the scenarios; 1 where one of them told a lie."""
    asked = _parser().parse_args(argv)
    if platform.system() != "Linux":
        print("skipped: /proc, pidfd and prlimit are needed, which Linux has")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    if asked.scenario:  # one of two, for the process that started this
        return int(not _play(asked.scenario, Bound(asked.seconds, asked.seed), asked.keep))
    chosen = [name for name in SCENARIOS if (asked.only or "") in name]
    if not chosen:
        print(f"no scenario has {asked.only!r} in its name: {', '.join(SCENARIOS)}", file=sys.stderr)
        return 2
    print(f"seed {asked.seed}", flush=True)
    began = time.monotonic()
    alone = [name for name in chosen if name in (_TIMED if asked.pairs else ALONE)]
    with ThreadPoolExecutor(2) as pool:
        beside = [pool.submit(_process, name, asked) for name in chosen if name not in alone]
        honest = all(one.result() for one in beside)
    for name in alone:
        honest = _play(name, Bound(asked.seconds, asked.seed), asked.keep) and honest
    told = "no lie" if honest else "LIES: see above"
    print(f"{len(chosen)} scenarios, {told}, {time.monotonic() - began:.0f} s")
    return int(not honest)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Faults and load, and what was lost.")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="how long all of it takes at most")
    parser.add_argument("--pairs", action="store_true", help="two at a time, those of loads too")
    parser.add_argument("--only", metavar="NAME", help="scenarios with NAME in their name")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the kill points")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="work in DIR, and leave it there at a lie")
    parser.add_argument("--scenario", choices=SCENARIOS, help=argparse.SUPPRESS)
    return parser


def _process(name: str, asked: argparse.Namespace) -> bool:
    """A scenario in a process of its own, so that two of them have two processors."""
    argv = [sys.executable, __file__, "--scenario", name, "--seconds", str(asked.seconds)]
    argv += ["--seed", str(asked.seed), *(["--keep", str(asked.keep)] if asked.keep else [])]
    return subprocess.run(argv, check=False).returncode == 0


def _play(name: str, bound: Bound, keep: Path | None) -> bool:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="acp-trace-faults-", dir=keep))
    began = time.monotonic()
    lied = False
    try:
        cells = SCENARIOS[name](bound, folder)
    except (Lie, AssertionError) as lie:
        lied = True
        cells = [f"LIE: {lie}"]
    finally:
        if not (lied and keep):
            shutil.rmtree(folder, ignore_errors=True)
    print("  ".join([f"{name:<34}", *cells, f"({time.monotonic() - began:.1f} s)"]), flush=True)
    return not lied


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
