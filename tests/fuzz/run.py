"""`just fuzz`: python tests/fuzz/run.py [--seconds N] [--seed N] [TARGET …].

Each target gets a corpus made anew from the recordings, and runs under atheris in a process of its own, one
after the other. Without atheris (`pip install atheris`; it is no dependency) inputs are mutated by chance, and
the table says so. An input that brings out an error is left in `fuzz-findings/TARGET/`, with the traceback
beside it, and ends this with 1. Fixed ones go into `tests/fuzz/corpus/TARGET/`, which the tests replay.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.guided import MISSING
from tests.fuzz.targets import TARGETS

HERE = Path(__file__).parent
_GRACE_S = 300  #: for the start, the corpus, and an input that runs into its own limit
_RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_COVERAGE = re.compile(r"#\d+\s+(?!READ)\w+ +cov: (\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one target. Coverage is of branches: by the seeds, and at the end."""

    target: str
    runs: int
    coverage: tuple[int, int] | None
    kept: int
    findings: list[str]
    guided: bool  #: by atheris


def fuzz(target: str, seconds: int, seed: int, into: Path) -> Row:
    """Fuzzes one target."""
    findings = into / target
    findings.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="acp-trace-fuzz-") as folder:
        corpus = Path(folder)
        begun = _fill(corpus, target)
        said, code = _run("guided.py", target, corpus, findings, seconds, seed)
        guided = code != MISSING
        if not guided:
            said, code = _run("unguided.py", target, corpus, findings, seconds, seed)
        kept = sum(1 for _ in corpus.iterdir()) - begun
    told = [line.removeprefix("FINDING ") for line in said.splitlines() if line.startswith("FINDING ")]
    if code:
        told.append(f"the process ended with {code}: {said[-800:]}")
    coverage = [int(found[1]) for found in _COVERAGE.finditer(said)]
    runs = _RUNS.search(said)
    return Row(
        target,
        int(runs[1]) if runs else 0,
        (coverage[0], coverage[-1]) if coverage else None,
        kept,
        told,
        guided,
    )


def _fill(corpus: Path, target: str) -> int:
    known = [path.read_bytes() for path in sorted((HERE / "corpus" / target).glob("*"))]
    inputs = {*TARGETS[target].seeds(), *known}
    for data in inputs:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    return len(inputs)


def _run(script: str, target: str, corpus: Path, findings: Path, seconds: int, seed: int) -> tuple[str, int]:
    words = [sys.executable, str(HERE / script), target, str(corpus), str(findings), str(seconds), str(seed)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds + _GRACE_S,
            env=environment,
            cwd=findings,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return (error.stdout or b"").decode("utf-8", "replace"), -9
    return done.stdout.decode("utf-8", "replace"), done.returncode


def main() -> None:
    """Parses words, runs, prints a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; all by default"
    )
    parser.add_argument("--seconds", type=int, default=60, metavar="N", help="for each target: 60")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the dice: 1")
    parser.add_argument("--into", type=Path, default=Path("fuzz-findings"), metavar="DIR")
    given = parser.parse_args()
    if unknown := set(given.targets) - set(TARGETS):
        parser.error(f"no target: {', '.join(sorted(unknown))}")
    failed = False
    print(f"{'target':14}{'runs':>12}{'per s':>9}{'branches':>18}{'kept':>7}  findings", flush=True)
    for target in given.targets or TARGETS:
        row = fuzz(target, given.seconds, given.seed, given.into.resolve())
        without = "unknown" if row.guided else "by chance"
        grown = without if row.coverage is None else "{:,} → {:,}".format(*row.coverage)
        rate = row.runs / max(given.seconds, 1)
        print(
            f"{row.target:14}{row.runs:>12,}{rate:>9,.0f}{grown:>18}{row.kept:>7}  {len(row.findings)}",
            flush=True,
        )
        for told in row.findings:
            print(f"    {told}", flush=True)
        failed = failed or bool(row.findings)
    if not row.guided:
        print("atheris is not installed: inputs were mutated by chance, not by what they reach")
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
