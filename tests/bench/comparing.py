"""What a comparison costs: time and memory of `diff`, beside decoding the lines of both files and no more."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from tests.bench.timing import Row, command, compared, cost, rounds
from tests.bench.traffic import write_trace

_FRAMES = 40_000
_LEVELS = ("outcome", "semantic", "content", "exact")
_DECODE = """
import json, sys
for path in sys.argv[1:]:
    with open(path, "rb") as stream:
        for line in stream:
            json.loads(line)
"""


def _traces(folder: Path) -> list[str]:
    """A trace, and another run: with ids of its own and other texts, and a permission less in the middle."""
    one, other = folder / "expected.jsonl", folder / "got.jsonl"
    write_trace(one, _FRAMES)
    lines = one.read_bytes().replace(b"ses_0c1f", b"ses_9a9b").replace(b"quick", b"slow").splitlines(True)
    asked = next(at for at in range(_FRAMES // 2, _FRAMES) if b"session/request_permission" in lines[at])
    del lines[asked : asked + 2]  # with its answer
    other.write_bytes(b"".join(lines))
    return [str(one), str(other)]


def diff(folder: Path, *, quick: bool) -> list[Row]:
    """Two runs of 40,000 frames each, at every level, in processes of their own."""
    traces = _traces(folder)
    ways = {"json": partial(cost, [sys.executable, "-I", "-c", _DECODE, *traces], 0)}
    for level in _LEVELS:
        argv = [command(), "diff", *traces, "--match", level]
        ways[level] = partial(cost, argv, 0 if level == "outcome" else 1)
    runs = rounds(3 if quick else 7, ways)
    rows = []
    for level in _LEVELS:
        what, bare = f"diff 2 × {_FRAMES:,} frames, {level}", "json.loads of both"
        pairs = [(run[level].seconds, run["json"].seconds) for run in runs]
        rows += [
            compared(what, "s", pairs, bare),
            Row(f"{what} (fastest run)", "s", min(ours for ours, _ in pairs), aim=("<", 2)),
            Row(
                f"{what}: memory",
                "MB",
                max(run[level].megabytes for run in runs),
                max(run["json"].megabytes for run in runs),
                bare,
                aim=("<", 300),
            ),
        ]
    return rows
