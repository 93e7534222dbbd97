"""kill -9 of a recorder that makes lines of its capture, at a random kill point: `--out` names a whole trace.

The traffic is over then. The file is the capture, or all of its lines; beside it may lie what was being made.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from functools import cache
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL

from tests.faults import captures, stored, truth
from tests.faults.bound import Bound
from tests.faults.lines import lines
from tests.faults.stage import DEADLINE_S, PEER, Stage, must, wait_until
from tests.support import ACP_TRACE, until

#: Some 27 MB.
_LINES = 16_000


def out(bound: Bound, folder: Path) -> list[str]:
    """Kills it again and again."""
    counts: Counter[str] = Counter()
    longest = _record_and_kill(folder / "first", None, counts)
    must(counts["lines"], "an undisturbed recorder leaves no lines")
    counts.clear()

    def kill_point(number: int, chance: random.Random) -> None:
        _record_and_kill(folder / str(number), chance.uniform(0, longest), counts)

    count = bound.repeat("out", 0.06, kill_point, most=50)
    return [
        f"{count} kill points of {longest:.2f} s, {_size() / 1e6:.0f} MB each",
        f"{counts['capture']} captures, {counts['lines']} files of lines",
        f"{counts['hidden']} hidden files left",
        f"0 of {count * _LINES:,} frames missing",
    ]


def _record_and_kill(folder: Path, kill_after: float | None, counts: Counter[str]) -> float:
    """One recording, killed so long after its recorder began with the lines; how long it was at them."""
    with Stage(folder) as stage:
        directory = stage.folder / "out"
        directory.mkdir()
        path, notes = directory / "t.jsonl", stage.notes("agent")
        peer = [*PEER, "agent", str(notes.saw_file), str(notes.said_file), "--lines", str(_LINES)]
        argv = [*ACP_TRACE, "record", "--no-load", "--out", str(path), "--", *peer]
        recorder = stage.start(argv, stdin=DEVNULL, stdout=DEVNULL)
        until(lambda: notes.said() >= _size(), "all that the agent says")
        until(lambda: _hidden(directory) or recorder.poll() is not None, "a recorder that makes lines")
        began = time.monotonic()
        if kill_after is not None:
            wait_until(began + kill_after)
            recorder.kill()
        recorder.wait(DEADLINE_S)
        took = time.monotonic() - began
        hidden = _hidden(directory)
        left = sorted(path.name for path in directory.iterdir())
        must(left == sorted([*hidden, "t.jsonl"]) and len(hidden) <= 1, f"beside the trace lies more: {left}")
        counts["hidden"] += len(hidden)
        counts["capture" if captures.is_capture(path) else "lines"] += 1
        name = whole(path, _LINES)
        stage.home.run("load", str(path))
        named = path.with_name(f"{name}.jsonl")
        os.replace(path, named)
        stored.equal(stage.home.path, [named], {name: _LINES})
    shutil.rmtree(folder)
    return took


def whole(path: Path, count: int) -> str:
    """Whether a trace of either kind has `count` frames of the agent between header and footer; its id."""
    truth.holds(path, "agent", count)
    (first, head), *_, (last, end) = truth.entries(path)
    must(not first and "acp_trace" in head, f"it begins with no header: {head}")
    must(last == "end" and end["frames"] == {"client": 0, "agent": count}, f"its footer is no footer: {end}")
    name: str = head["id"]
    return name


def _hidden(directory: Path) -> list[str]:
    return [name for name in os.listdir(directory) if name.startswith(".") and name.endswith(".new")]


@cache
def _size() -> int:
    return sum(map(len, islice(lines("agent"), _LINES)))
