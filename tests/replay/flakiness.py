"""Replays the scripted agent again and again: `python tests/replay/flakiness.py [--times N] [--busy N] [WORD …]`.

The same agent must pass each time, beside processes that keep the processors busy. With words: the faults
and variations that have one of them in their names, each of which must have its own verdict each time.
`just flakiness` runs it; ends with 1 when one verdict was another.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.replay import levels, scenario
from tests.replay.edits import Case
from tests.replay.facing import entries
from tests.replay.faults import FAULTS
from tests.replay.variations import VARIATIONS
from tests.support import PYTHON, Home

Row = tuple[Literal["fault", "vary"], str, Case]


def main(argv: list[str]) -> int:
    """Plays, counts and tells."""
    parser = argparse.ArgumentParser(description="Replays the scripted agent again and again.")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--busy", type=int, default=2, help="how many processes keep the processors busy")
    parser.add_argument("words", nargs="*", help="a word of a fault's or a variation's name")
    args = parser.parse_args(argv)
    busy = [subprocess.Popen([*PYTHON, "-c", "while True: pass"]) for _ in range(args.busy)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ACP_TRACE_HOME"] = folder
            stage = scenario.Stage(entries(scenario.record(Home(Path(folder)))))
            return _play(stage, _rows(args.words), args.times)
    finally:
        for one in busy:
            one.kill()
            one.wait()


def _rows(words: list[str]) -> list[Row]:
    rows: list[Row] = [("fault", name, case) for name, case in FAULTS.items()]
    rows += [("vary", name, case) for name, case in VARIATIONS.items()]
    chosen = [row for row in rows if any(word in row[1] for word in words)]
    return chosen or [("vary", "nothing else", VARIATIONS["nothing else"])]


def _play(stage: scenario.Stage, rows: list[Row], times: int) -> int:
    wrong: Counter[str] = Counter()
    took = []
    for switch, name, case in [row for _ in range(times) for row in rows]:
        began = time.monotonic()
        verdict = stage.verdicts(stage.play(case, switch, name))["semantic"]
        took.append(time.monotonic() - began)
        told, due = levels.told(verdict.comparison.divergences), levels.due(case, "semantic")
        if sorted(told.causes) != sorted(due.causes):
            wrong[f"{name}: {' '.join(told.causes) or 'passes'}"] += 1
    took.sort()
    figures = f"median {took[len(took) // 2] * 1000:.0f} ms, longest {took[-1] * 1000:.0f} ms"
    print(f"{len(took)} replays, {wrong.total()} with another verdict; {figures}")
    for one, count in wrong.most_common():
        print(f"  {count} × {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
