"""Replays side by side, killed with -9 at a random kill point: who is left behind, and what they wrote.

A replay that is killed can clean up nothing itself. Its agent sees the end of its input, and ends if it
does so then; one that ignores that stays, as it would without us. The next replay removes the directories.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path
from subprocess import DEVNULL

from acp_trace.store.listings import listings
from acp_trace.store.sources import StoredSource
from acp_trace.trace.home import Home as Folder
from tests.faults import stored
from tests.faults.bound import Bound
from tests.faults.stage import DEADLINE_S, Stage, belonging, kill, must, over, wait_until
from tests.faults.truth import opens
from tests.replay.scenario import AGENT, record
from tests.support import ACP_TRACE, Home, until

_AT_ONCE = 4
#: Reads nothing and ends for nothing but a signal.
_STUBBORN = [sys.executable, "-I", "-S", "-c", "import signal\nwhile True: signal.pause()"]


def replays(bound: Bound, folder: Path) -> list[str]:
    """Four at once, three of them killed: nobody is left, every trace opens, the fourth one passes."""
    home = Home(folder / "recorded")
    record(home)
    (recording,) = home.spooled()
    argv = [*ACP_TRACE, "replay", str(recording), "--", *AGENT]
    found: Counter[str] = Counter()
    starts, plays = _undisturbed(folder / "first", argv)

    def kill_point(number: int, chance: random.Random) -> None:
        with Stage(folder / str(number)) as stage:
            some = [stage.start(argv, stdout=DEVNULL, stderr=DEVNULL) for _ in range(_AT_ONCE)]
            if number % 4:
                until(partial(_at_work, stage, some), "replays at work")
            began, least = time.monotonic(), 0.0 if number % 4 else -starts
            for offset in sorted(chance.uniform(least, plays) - least for _ in some[1:]):
                wait_until(began + offset)
                victim = some.pop()
                found["killed"] += victim.poll() is None
                victim.kill()
                victim.wait(DEADLINE_S)
            must(some[0].wait(DEADLINE_S) == 0, f"the one that was left alone ends with {some[0].returncode}")
            for pid in belonging(stage.mark):
                must(over(pid, 20), f"process {pid} of a killed replay is left behind")
            found.update(_traces(stage))
            found["directories"] += len(_directories(stage))
            if not number % 4:
                must(
                    stage.start(argv, stdout=DEVNULL, stderr=DEVNULL).wait(DEADLINE_S) == 0, "one more passes"
                )
                must(not _directories(stage), f"the next replay leaves {_directories(stage)}")
        shutil.rmtree(stage.folder, ignore_errors=True)

    count = bound.repeat("replays", 0.12, kill_point, most=50)
    stays = _stubborn(folder / "stubborn", argv[: -len(AGENT)])
    return [
        f"{count} × {_AT_ONCE} replays, {found['killed']} killed",
        "0 agents left",
        f"{found['traces']} traces open, {found['incomplete']} of them incomplete",
        f"{found['directories']} directories left, and removed by the next replay",
        f"an agent that ignores the end of its input {'stays' if stays else 'ends'}",
    ]


def _directories(stage: Stage) -> list[str]:
    """What killed replays left. Of one that was only being made, the name begins with a point."""
    return [path.name for path in (stage.folder / "tmp").iterdir() if not path.name.startswith(".")]


def _undisturbed(folder: Path, argv: list[str]) -> tuple[float, float]:
    """How long one replay takes to start, and then to play."""
    with Stage(folder) as stage:
        began = time.monotonic()
        replay = stage.start(argv, stdout=DEVNULL, stderr=DEVNULL)
        until(partial(_at_work, stage, [replay]), "a replay at work")
        started = time.monotonic()
        must(replay.wait(DEADLINE_S) == 0, f"an undisturbed replay ends with {replay.returncode}")
        return started - began, time.monotonic() - started


def _at_work(stage: Stage, some: list[subprocess.Popen[bytes]]) -> bool:
    """Whether all of them have begun their traces, or one is through already."""
    return len(stage.home.spooled()) >= len(some) or any(one.poll() is not None for one in some)


def _traces(stage: Stage) -> Counter[str]:
    """Loads what is left, and reads all that is in the store: how many, and how many without an end."""
    stored.load(stage.home.path)
    found: Counter[str] = Counter()
    for one in listings(Folder(stage.home.path)):
        StoredSource(stage.home.store, one.id).facts()
        found["traces"] += 1
        found["incomplete"] += one.state != "complete"
    return found


def _stubborn(folder: Path, words: list[str]) -> bool:
    """Kills the replay of an agent that ends for nothing; whether it stays. It is ended here then."""
    with Stage(folder) as stage:
        replay = stage.start([*words, *_STUBBORN], stdout=DEVNULL, stderr=DEVNULL)
        until(lambda: len(belonging(stage.mark)) == 2 and stage.home.spooled(), "an agent at work")
        (pid,) = belonging(stage.mark) - {replay.pid}
        replay.kill()
        replay.wait(DEADLINE_S)
        stays = not over(pid, 1)
        kill(pid)
        over(pid)
        opens(stage.trace())
        return stays
