"""`just real`: python tests/real/run.py [--only NAME] [--samples DIR] [--jobs N].

Runs every scenario directly and through the recorder, compares, checks the recording, and replays it to the
same agent; then the trials of replay, mock and watch. Ends with 1 when something differs. What cannot be
had here (no npm, no registry, no binary for this platform) is skipped.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import packages, processes, samples
from tests.real.client import drive, recorder
from tests.real.mismatches import misled, noticed
from tests.real.processes import Deadline, Fault
from tests.real.replaying import checked, replay
from tests.real.scenario import Scenario
from tests.real.scenarios import SCENARIOS
from tests.real.told import Told
from tests.real.trials import TRIALS, Trial

#: For all parts of a scenario, without installing; a machine that has other things to do takes ten times as long.
_SCENARIO_S = 180
#: Of a scenario whose client gets Ctrl-C. acpx then gives its agent 2.5 s to answer, however busy the machine is,
#: and kills it: such scenarios run alone, and a fault counts if it comes every time.
_INTERRUPTED_TRIES = 3
_ALL: tuple[Scenario | Trial, ...] = (*SCENARIOS, *TRIALS)
_WIDTHS = (24, 9, 25, 6, 7, 11, 10)


@dataclass(slots=True)
class Result:
    """One line of the table, and what follows it where something is wrong."""

    name: str
    result: str
    faults: list[str] = field(default_factory=list)
    replayed: str = ""
    turns: int | None = None
    frames: int | None = None
    end: str = ""
    added_s: float | None = None

    def line(self) -> str:
        """The line of the table."""
        cells = (
            self.name,
            self.result,
            self.replayed,
            "" if self.turns is None else str(self.turns),
            "" if self.frames is None else str(self.frames),
            self.end,
            "" if self.added_s is None else f"{self.added_s:+.2f} s",
        )
        return _row(cells)


def main(argv: Sequence[str]) -> int:
    """The script: 0 when all is the same, or was skipped; 1 when something differs."""
    asked = _parser().parse_args(argv)
    if os.name == "nt":
        print("skipped: named pipes and process groups are needed, which Windows has not")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that all is cleaned up
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, children would hear no Ctrl-C
    chosen = [one for one in _ALL if asked.only in (None, one.name)]
    _install(chosen)
    print(_row(("scenario", "recorded", "replayed", "turns", "frames", "agent ended", "added")))
    faulty = False
    alone = [one for one in chosen if _is_interrupted(one)]
    together = [one for one in chosen if not _is_interrupted(one)]
    pool = ThreadPoolExecutor(asked.jobs)
    try:
        results = pool.map(lambda one: _play(one, asked.samples), together)
        for result in chain(results, (_tried(one, asked.samples) for one in alone)):
            print("\n  ".join([result.line(), *result.faults]), flush=True)
            faulty = faulty or result.result == "DIFFERS"
    finally:
        processes.stop_all()  # nothing runs any more, unless this was broken off
        pool.shutdown()
    print(
        "recorded: same, the client noticed nothing; kept, the recorder was killed, and what the client had"
    )
    print("          seen is in the trace; as told, the scenario is one of replay, mock or watch")
    print("added:    the client's whole time with the recorder less that without it, one run each")
    return int(faulty)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Drive real agents with real clients, with and without the recorder; compare; replay.",
        epilog="scenarios: " + "; ".join(f"{one.name}: {one.what}" for one in _ALL),
    )
    parser.add_argument("--only", metavar="NAME", choices=[one.name for one in _ALL], help="one scenario")
    parser.add_argument("--samples", metavar="DIR", type=Path, help="write the traces there")
    parser.add_argument("--jobs", metavar="N", type=int, default=3, help="so many scenarios side by side: 3")
    return parser


def _install(chosen: Sequence[Scenario | Trial]) -> None:
    """Before time counts. What is missing is remembered, and said where it is needed."""
    client = [lambda: packages.npm(*packages.NODE), lambda: packages.npm(*packages.ACPX)]
    tools = [install for one in chosen if isinstance(one, Trial) for install in one.installs]
    for install in (*client, *tools, *(one.agent.install for one in chosen)):
        with suppress(packages.OutOfReach):
            install()


def _is_interrupted(one: Scenario | Trial) -> bool:
    return isinstance(one, Scenario) and one.interrupt_at is not None


def _tried(one: Scenario | Trial, sample_folder: Path | None) -> Result:
    """The last of so many tries, if none before it was without a fault."""
    for tried in range(1, _INTERRUPTED_TRIES):
        result = _play(one, sample_folder)
        if result.result != "DIFFERS":
            return result
        print(f"{one.name}: try {tried} of {_INTERRUPTED_TRIES}", *result.faults, sep="\n  ", flush=True)
    return _play(one, sample_folder)


def _play(one: Scenario | Trial, sample_folder: Path | None) -> Result:
    """One scenario, in a folder of its own under a name that may stand in a trace."""
    neutral = Path("/tmp").resolve()
    with tempfile.TemporaryDirectory(prefix="acp-demo-", dir=neutral, ignore_cleanup_errors=True) as folder:
        try:
            if isinstance(one, Scenario):
                return _prove(one, Path(folder), sample_folder)
            faults = one.play(Path(folder), Deadline(_SCENARIO_S))
            return Result(one.name, "DIFFERS" if faults else "as told", faults)
        except packages.OutOfReach as why:
            return Result(one.name, "skipped", [f"skipped: {why}"])
        except Fault as fault:
            return Result(one.name, "DIFFERS", [str(fault)])
        except subprocess.TimeoutExpired as late:
            return Result(one.name, "DIFFERS", [f"{' '.join(map(str, late.cmd))} took too long"])


def _prove(scenario: Scenario, folder: Path, sample_folder: Path | None) -> Result:
    deadline = Deadline(_SCENARIO_S)
    direct = (
        None if scenario.kill_at else drive(scenario, folder / "direct", deadline, scenario.agent.command)
    )
    recorded = drive(scenario, folder / "recorded", deadline, recorder(scenario))
    faults = noticed(direct, recorded) if direct else []
    try:
        told = Told(recorded, deadline)
    except Fault as fault:
        return Result(scenario.name, "DIFFERS", [*faults, str(fault)])
    faults += misled(scenario, recorded, told)
    file = folder / f"{scenario.name}.jsonl"
    file.write_bytes(told.file)
    faults += checked(scenario, file, recorded.stage, deadline)
    verdict = replay(scenario, file, folder / "replayed", deadline)
    if verdict.exit_code or not verdict.passed:
        faults += [f"replay: exit {verdict.exit_code}", *map(": ".join, verdict.divergences)]
    if sample_folder is not None and not faults:
        faults = samples.write(sample_folder, scenario.name, told.file)
    end = told.report["trace"]["end"]
    return Result(
        scenario.name,
        "DIFFERS" if faults else "same" if direct else "kept",
        faults,
        verdict.line,
        sum(len(session["turns"]) for session in told.report["sessions"]),
        len(told.frames),
        "" if end is None else f"signal {end['signal']}" if end["signal"] else f"exit {end['exit_code']}",
        recorded.took_s - direct.took_s if direct else None,
    )


def _row(cells: Sequence[str]) -> str:
    return " ".join(map(str.ljust, cells, _WIDTHS)).rstrip()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
