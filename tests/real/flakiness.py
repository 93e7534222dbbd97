"""`just flakiness-real NAME`: python tests/real/flakiness.py NAME [--times N] [--jobs N] [--keep DIR].

Records one scenario, replays the recording to the same agent again and again, each time in a home of its own,
and says how often it passed and how long it took. What a replay that did not pass recorded is kept.
Ends with 1 when one did not.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import packages, processes
from tests.real.client import drive, recorder
from tests.real.processes import Deadline, Fault
from tests.real.replaying import Verdict, replay
from tests.real.scenario import Scenario
from tests.real.scenarios import SCENARIOS
from tests.real.told import Told

_RUN_S = 180  #: for one replay, beside others


@dataclass(frozen=True, slots=True)
class Series:
    """Replays of one recording."""

    scenario: Scenario
    recording: Path
    folder: Path
    keep: Path

    def play(self, number: int) -> Verdict | str:
        """One of them, or why it came to no verdict. Keeps what failed, and nothing else."""
        folder = self.folder / str(number)
        try:
            verdict = replay(self.scenario, self.recording, folder, Deadline(_RUN_S))
        except Fault as fault:
            return f"#{number}: {fault}"
        if not verdict.passed and verdict.live.exists():
            self.keep.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.recording, self.keep)
            shutil.copy(verdict.live, self.keep / f"{self.scenario.name}-{number}.live.jsonl")
        shutil.rmtree(folder, ignore_errors=True)
        return verdict


def main(argv: Sequence[str]) -> int:
    """Records, replays, counts, and tells."""
    parser = argparse.ArgumentParser(description="Replay one real agent's recording again and again.")
    parser.add_argument(
        "name", metavar="NAME", choices=[scenario.name for scenario in SCENARIOS], help="the scenario"
    )
    parser.add_argument("--times", metavar="N", type=int, default=100, help="100")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="so many side by side: 1")
    parser.add_argument("--keep", metavar="DIR", type=Path, default=Path("flakiness"), help="for what fails")
    asked = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    scenario = next(one for one in SCENARIOS if one.name == asked.name)
    with tempfile.TemporaryDirectory(prefix="acp-demo-", ignore_cleanup_errors=True) as folder:
        try:
            series = Series(scenario, _record(scenario, Path(folder)), Path(folder), asked.keep)
        except (packages.OutOfReach, Fault) as why:
            print(f"{scenario.name}: {why}")
            return 1
        return _tell(series, asked.times, asked.jobs)


def _record(scenario: Scenario, folder: Path) -> Path:
    scenario.agent.install()
    deadline = Deadline(_RUN_S)
    file = folder / f"{scenario.name}.jsonl"
    file.write_bytes(Told(drive(scenario, folder / "recorded", deadline, recorder(scenario)), deadline).file)
    return file


def _tell(series: Series, times: int, jobs: int) -> int:
    pool = ThreadPoolExecutor(jobs)
    took: list[float] = []
    failed = 0
    try:
        for number, found in enumerate(pool.map(series.play, range(1, times + 1)), 1):
            if isinstance(found, Verdict) and found.passed:
                took.append(found.took_s)
                continue
            failed += 1
            told = [found] if isinstance(found, str) else [found.line, *map(": ".join, found.divergences)]
            print(f"#{number}", *told, sep="\n  ", flush=True)
    finally:
        processes.stop_all()
        pool.shutdown(cancel_futures=True)
    took.sort()
    figures = f"median {took[len(took) // 2]:.1f} s, longest {took[-1]:.1f} s" if took else "none to measure"
    print(f"{series.scenario.name}: {len(took)} passed, {failed} failed; {figures}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
