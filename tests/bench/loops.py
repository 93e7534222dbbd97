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

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
TOOL = [sys.executable, "-m", "acp_trace"]
LOOPS = {
    "poll": {"ACP_TRACE_LOOP": "poll"},
    "threads": {"ACP_TRACE_LOOP": "threads"},
    "portable": {"ACP_TRACE_SYSTEM": "portable"},
}
TIMES = int(os.environ.get("TIMES", "3"))


def verdict(trace: Path, changes: dict[str, str]) -> tuple[int, float]:
    """The exit code of a replay, and its seconds."""
    command = [*TOOL, "replay", str(trace), "--", *TOOL, "mock", str(trace)]
    began = time.monotonic()
    done = subprocess.run(command, env={**os.environ, **changes}, capture_output=True, check=False)
    return done.returncode, time.monotonic() - began


def main() -> int:
    """Print a row for each recording."""
    print("| recording | exit code |", " | ".join(f"{loop}, s" for loop in LOOPS), "|")
    print("|---|---|", "---|" * len(LOOPS))
    is_same = True
    copies = Path(
        shutil.copytree(SAMPLES, f"{tempfile.mkdtemp()}/traces")
    )  # a run is written next to its trace
    for trace in sorted(copies.glob("*.jsonl")):
        runs = [{loop: verdict(trace, changes) for loop, changes in LOOPS.items()} for _ in range(TIMES)]
        codes = {code for run in runs for code, _ in run.values()}
        is_same = is_same and len(codes) == 1
        times = (f"{statistics.median(run[loop][1] for run in runs):.2f}" for loop in LOOPS)
        print(f"| {trace.name} | {', '.join(map(str, sorted(codes)))} |", " | ".join(times), "|", flush=True)
    shutil.rmtree(copies.parent)
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
