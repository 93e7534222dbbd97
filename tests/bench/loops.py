"""Each sample recording, replayed to its own mock with both loops: the same verdicts? And how long it takes.

`python tests/bench/loops.py` prints a table; exit code 1 if a verdict differs. Both loops take turns in one run.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
TOOL = [sys.executable, "-m", "acp_trace"]
LOOPS = {
    "poll": {"ACP_TRACE_LOOP": "poll"},
    "threads": {"ACP_TRACE_LOOP": "threads"},
    "portable": {"ACP_TRACE_SYSTEM": "portable"},
}
TIMES = int(os.environ.get("TIMES", "3"))


class Replay(NamedTuple):
    """How a replay ended, its seconds, and the seconds of processors that it and its agent took."""

    code: int
    seconds: float
    work: float


def replay(trace: Path, changes: dict[str, str]) -> Replay:
    """Replay the recording to its own mock."""
    command = [*TOOL, "replay", str(trace), "--", *TOOL, "mock", str(trace)]
    began, before = time.monotonic(), os.times()
    done = subprocess.run(command, env={**os.environ, **changes}, capture_output=True, check=False)
    took, after = time.monotonic() - began, os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return Replay(done.returncode, took, work)


def main() -> int:
    """Print a row for each recording."""
    print("| recording | exit code | " + " | ".join(f"{loop} | its work" for loop in LOOPS) + " |")
    print("|---|---|" + "--:|--:|" * len(LOOPS))
    is_same = True
    copies = Path(
        shutil.copytree(SAMPLES, f"{tempfile.mkdtemp()}/traces")
    )  # a run is written next to its trace
    for trace in sorted(copies.glob("*.jsonl")):
        runs = [{loop: replay(trace, changes) for loop, changes in LOOPS.items()} for _ in range(TIMES)]
        codes = {each.code for run in runs for each in run.values()}
        is_same = is_same and len(codes) == 1
        times = (
            f"{statistics.median(run[loop].seconds for run in runs):.2f} s | "
            f"{statistics.median(run[loop].work for run in runs):.2f} s"
            for loop in LOOPS
        )
        print(f"| {trace.name} | {', '.join(map(str, sorted(codes)))} |", " | ".join(times), "|", flush=True)
    shutil.rmtree(copies.parent)
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
