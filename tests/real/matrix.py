"""`just real-matrix`: python tests/real/matrix.py [PART …] [--only AGENT] [--keep DIR] [--match LEVEL].

Real agents, several published versions each: records a day's work with every version (`record`), replays each
recording against every version of its agent (`versions`), the unchanged one many times (`unchanged`) and with a
model that is not as it was (`manners`), and writes what came of it (`table`). Takes hours and gigabytes, so it is no
part of CI. Goes on where it stopped: what is there is not done again, unless `--again` is given.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real import cells, matrix_table, packages
from tests.real.builds import LINES, Line, node_programs
from tests.real.model import AS_RECORDED, MANNERS, Manner

PARTS = ("record", "versions", "unchanged", "manners", "table")
_MATCHES = ("outcome", "semantic", "content", "exact")


@dataclass(frozen=True, slots=True)
class Cell:
    """A recording, the version that it is replayed against, and how."""

    line: Line
    recorded: str
    replayed: str
    name: str  #: of the directory
    manner: Manner = AS_RECORDED

    def directory(self, keep: Path, match: str) -> Path:
        return keep / self.line.name / self.recorded / match / self.name


def versions(lines: Sequence[Line]) -> Iterator[Cell]:
    """Each version's recording against each version, in both directions."""
    for line in lines:
        for recorded in line.versions:
            for replayed in line.versions:
                yield Cell(line, recorded, replayed, f"to-{replayed}")


def unchanged(lines: Sequence[Line], times: int) -> Iterator[Cell]:
    """The newest version against itself, so many times."""
    for number in range(1, times + 1):
        for line in lines:
            yield Cell(line, line.versions[0], line.versions[0], f"same-{number}")


def manners(lines: Sequence[Line]) -> Iterator[Cell]:
    """The newest version against itself, with each manner of its model."""
    for line in lines:
        for manner in MANNERS:
            yield Cell(line, line.versions[0], line.versions[0], manner.name.replace(" ", "-"), manner)


def main(argv: Sequence[str]) -> int:
    """The script: 0 if every part could be done."""
    parser = argparse.ArgumentParser(
        description="Real agents, each recorded and replayed in several versions."
    )
    parser.add_argument("parts", metavar="PART", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--only", metavar="AGENT", action="append", choices=[line.name for line in LINES])
    parser.add_argument(
        "--keep", metavar="DIR", type=Path, help="where recordings and runs are; default: the cache"
    )
    parser.add_argument("--match", choices=_MATCHES, default="semantic")
    parser.add_argument("--times", metavar="N", type=int, default=20, help="replays of an unchanged build")
    parser.add_argument(
        "--busy", metavar="N", type=int, default=0, help="processes that keep processors busy meanwhile"
    )
    parser.add_argument("--jobs", metavar="N", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="do again what was done")
    asked = parser.parse_args(argv)
    parts = asked.parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"invalid part: {', '.join(sorted(unknown))}; there is {', '.join(PARTS)}")
    keep = (asked.keep or packages.cache() / "matrix").absolute()
    lines = [line for line in LINES if asked.only is None or line.name in asked.only]
    # npm chooses by the Node that it runs on.
    os.environ["PATH"] = f"{node_programs()}{os.pathsep}{os.environ['PATH']}"
    if "record" in parts:
        _record(lines, keep, again=asked.again)
    plays = {
        "versions": versions(lines),
        "unchanged": unchanged(lines, asked.times),
        "manners": manners(lines),
    }
    for part in plays.keys() & set(parts):
        with ExitStack() as stack:
            for _ in range(asked.busy):
                stack.enter_context(_busy())
            pool = stack.enter_context(ThreadPoolExecutor(asked.jobs))
            for said in pool.map(lambda cell: _play(cell, keep, asked.match, again=asked.again), plays[part]):
                print(said, end="", flush=True)
    if "table" in parts:
        matrix_table.write(keep)
    return 0


def _record(lines: Sequence[Line], keep: Path, *, again: bool) -> None:
    for line in lines:
        for version in line.versions:
            directory = keep / line.name / version
            if (directory / "recording.jsonl").exists() and not again:
                continue
            directory.mkdir(parents=True, exist_ok=True)
            try:
                recording = cells.record(line, version, directory)
                print(f"{line.name} {version}: recorded, {recording.stat().st_size} bytes", flush=True)
            except packages.OutOfReach as why:
                print(f"{line.name} {version}: {why}", flush=True)


def _play(cell: Cell, keep: Path, match: str, *, again: bool) -> str:
    """Plays a cell if it has to be, and gives a line about it."""
    recording = keep / cell.line.name / cell.recorded / "recording.jsonl"
    directory = cell.directory(keep, match)
    if not recording.exists() or ((directory / "report.json").exists() and not again):
        return ""
    named = f"{cell.line.name} {cell.recorded} → {cell.replayed} {match} {cell.name}"
    try:
        told = cells.replay(cell.line, recording, cell.replayed, directory, match, cell.manner)
    except packages.OutOfReach as why:
        return f"{named}: {why}\n"
    return f"{named}: {_summary(told)}\n"


def _summary(told: dict[str, Any]) -> str:
    codes = [one["code"] for one in told["divergences"] if one["severity"] == "error"]
    touched = [*told["caller_changes"], *told["home_changes"]]
    said = "passed" if told["passed"] else f"FAILED {' '.join(codes)}"
    said += f" in {told['took_s']} s, exit {told['exit_code']}"
    said += f"; TOUCHED {' '.join(touched)}" if touched else ""
    return said + (f"; {told['broken']}" if "broken" in told else "")


def _busy() -> subprocess.Popen[bytes]:
    """A process that does nothing as fast as it can, until it is killed."""
    return _Busy([sys.executable, "-c", "while True: pass"])


class _Busy(subprocess.Popen[bytes]):
    def __exit__(self, *args: object) -> None:
        self.kill()
        self.wait()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
