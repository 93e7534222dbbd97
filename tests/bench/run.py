"""`just bench`: python tests/bench/run.py [--only NAME] [--quick] [--json | --markdown].

Every round runs ours and the rival one after the other; a ratio is the median over the rounds, with
the lowest and the highest. A missed aim is printed and fails nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import analysing, comparing, recording, replaying, rivals, storing
from tests.bench.timing import Row

_ALL = {
    "roundtrip": recording.round_trip,
    "flood": recording.flood,
    "start": recording.start,
    "rivals": rivals.rivals,
    "analyse": analysing.analyse,
    "load": storing.load,
    "show": storing.show,
    "diff": comparing.diff,
    "replay": replaying.replay,
}
_HEADINGS = ("what", "ours", "rival", "ratio (lowest – highest)", "aim", "reached")


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "{:.2f}× ({:.2f} – {:.2f})".format(*row.ratio) if row.ratio else ""
    rival = "" if row.rival is None else f"{_number(row.rival, row.unit)}  {row.against}"
    aim = f"{row.aim[0]} {row.aim[1]:g}{'×' if row.ratio else ' ' + row.unit}".strip() if row.aim else ""
    reached = {True: "yes", False: "NO", None: ""}[row.reached]
    return row.what, _number(row.ours, row.unit), rival, ratio, aim, reached


def _number(value: float, unit: str) -> str:
    digits = 0 if value >= 100 or not unit else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".strip()


def _table(rows: list[Row], *, markdown: bool) -> str:
    cells = [_HEADINGS, *map(_cells, rows)]
    if markdown:
        cells.insert(1, ("---",) * len(_HEADINGS))
        return "\n".join(f"| {' | '.join(line)} |" for line in cells)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def main() -> None:
    """Runs what was asked for and prints it."""
    parser = argparse.ArgumentParser(description="Measure acp-trace beside its rivals.")
    parser.add_argument("--only", metavar="NAME", choices=_ALL, help=f"one of {', '.join(_ALL)}")
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer rounds")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print Markdown, for docs/benchmarks.md")
    asked = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="acp-trace-bench-") as folder:
        for name in [asked.only] if asked.only else _ALL:
            since = time.monotonic()
            rows += _ALL[name](Path(folder), quick=asked.quick)
            print(f"{name}: {time.monotonic() - since:.0f} s", file=sys.stderr)
    machine = {
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "Python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("acp-trace", "duckdb", "msgspec")},
    }
    if asked.json:
        found = [{**dataclasses.asdict(row), "reached": row.reached} for row in rows]
        print(json.dumps({"machine": machine, "quick": asked.quick, "rows": found}, indent=2))
    else:
        facts = ", ".join(f"{name} {value}" for name, value in machine.items())
        print(_table(rows, markdown=asked.markdown), facts, sep="\n\n")


if __name__ == "__main__":
    main()
