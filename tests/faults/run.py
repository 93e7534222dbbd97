"""`just faults`: python tests/faults/run.py [--seconds N | --full] [--only NAME] [--seed N] [--keep DIR].

Kills, starves and floods real recorders, loaders and replays between real clients and agents, and counts
what was lost: one line a scene. Ends with 1 at the first promise that is not kept. By default all of it
takes about two minutes; `--full` is 200 moments for each kill and a minute for each load.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.faults import crowd, disks, kills, loaders, loads, replays
from tests.faults.bound import Bound
from tests.faults.stage import Lie

#: A scene gives the cells of its line, and raises Lie.
Scene = Callable[[Bound, Path], list[str]]

SCENES: dict[str, Scene] = {
    "kill -9 of the recorder": kills.recorder,
    "kill -9 of the agent": kills.agent,
    "kill -9 of the client": kills.client,
    "kill -9 of the loader": loaders.loader,
    "a file-size limit, on and off": disks.limited,
    "a full disk, and emptied": disks.full,
    "the spool deleted": disks.deleted,
    "the spool read-only": disks.read_only,
    "8 recorders, and commands beside": crowd.crowd,
    "one-byte writes, both ways": loads.one_byte_writes,
    "64 MB in a frame, both ways": loads.giant_frames,
    "a million frames": loads.many_frames,
    "50,000 frames/s": loads.held_rate,
    "a flood in both directions": loads.duplex_flood,
    "a client that reads slowly": loads.slow_client,
    "a client that reads last": loads.client_that_reads_last,
    "an agent that never reads": loads.deaf_agent,
    "kill -9 of replays": replays.replays,
}
_SECONDS = 120.0


def main(argv: Sequence[str]) -> int:
    """Plays the scenes; 1 at the first lie."""
    parser = argparse.ArgumentParser(description="Faults and load, and what was lost.")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="about how long all of it takes")
    parser.add_argument("--full", action="store_true", help="200 moments each, a minute of each load")
    parser.add_argument("--only", metavar="NAME", help="scenes with NAME in their name")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of the moments")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="work in DIR, and leave it there at a lie")
    asked = parser.parse_args(argv)
    if sys.platform != "linux":
        print("skipped: /proc, pidfd and prlimit are needed, which Linux has")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    bound = Bound(asked.seconds, asked.full, asked.seed)
    chosen = {name: scene for name, scene in SCENES.items() if (asked.only or "") in name}
    if not chosen:
        parser.error(f"no scene has {asked.only!r} in its name: {', '.join(SCENES)}")
    print(f"seed {bound.seed}", flush=True)
    began = time.monotonic()
    for name, scene in chosen.items():
        if not _play(name, scene, bound, asked.keep):
            return 1
    print(f"{len(chosen)} scenes, no lie, {time.monotonic() - began:.0f} s")
    return 0


def _play(name: str, scene: Scene, bound: Bound, keep: Path | None) -> bool:
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="acp-trace-faults-", dir=keep))
    began = time.monotonic()
    lied = False
    try:
        cells = scene(bound, folder)
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
