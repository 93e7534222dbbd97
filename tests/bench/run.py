"""`just bench`: python tests/bench/run.py [--only NAME] [--quick] [--json | --write].

Every round runs ours and the baseline one after the other; a ratio is the median over the rounds, with
the lowest and the highest. A missed aim is printed and fails nothing. `--write` puts each table into its
place in docs/evidence/benchmarks.md, with the machine and the command.
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
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench import (
    analysing,
    baselines,
    comparing,
    growth,
    hostile,
    modelling,
    networking,
    paging,
    pieces,
    recording,
    replaying,
    round_trips,
    storing,
    tables,
    team,
)

BENCHES = {
    "roundtrip": round_trips.round_trip,
    "network": networking.network,
    "flood": recording.flood,
    "start": recording.start,
    "pieces": pieces.pieces,
    "baselines": baselines.baselines,
    "model": modelling.model,
    "analyse": analysing.analyse,
    "load": storing.load,
    "show": storing.show,
    "remove": storing.remove,
    "diff": comparing.diff,
    "replay": replaying.replay,
    "hostile": hostile.hostile,
    "page": paging.page,
    "team": team.team,
    "day-of-a-year": team.day_of_a_year,
    "growth": growth.growth,
    "ten-million": growth.growth_to_ten_million,
    "team-large": team.team_large,
}
_NOT_BY_DEFAULT = {"ten-million", "team-large"}


def main() -> None:
    """Runs what was asked for, and prints each table when it is done."""
    parser = argparse.ArgumentParser(description="Measure acp-trace beside its baselines.")
    parser.add_argument(
        "--only",
        metavar="NAME",
        choices=BENCHES,
        action="append",
        help=f"one of {', '.join(BENCHES)}; repeatable",
    )
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer rounds")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument(
        "--write", action="store_true", help="put the tables into docs/evidence/benchmarks.md, too"
    )
    asked = parser.parse_args()
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="acp-trace-bench-") as folder:
        for name in asked.only or [name for name in BENCHES if name not in _NOT_BY_DEFAULT]:
            since = time.monotonic()
            rows = BENCHES[name](Path(folder), quick=asked.quick)
            print(f"{name}: {time.monotonic() - since:.0f} s", file=sys.stderr)
            found += [{**dataclasses.asdict(row), "bench": name, "reached": row.reached} for row in rows]
            if not asked.json:
                print(tables.plain(rows), end="\n\n", flush=True)
            if asked.write:
                tables.put(name, rows, _machine(), quick=asked.quick)
    if asked.json:
        print(json.dumps({"machine": _machine(), "quick": asked.quick, "rows": found}, indent=2))
    else:
        print(tables.facts(_machine()))


def _machine() -> dict[str, str]:
    return {
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "Python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("acp-trace", "duckdb", "msgspec")},
    }


if __name__ == "__main__":
    main()
