"""What ten times as many frames cost: ten times as much, or less. Whole processes, on one trace each.

Each size is held against ten times the next smaller one, measured in the same run. `write_trace` has a
session for each 100,000 frames, so sessions grow with the frames.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from acp_trace.trace.names import VARIABLE
from tests.bench.timing import Cost, Row, command, cost
from tests.bench.traffic import write_trace

_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
_LONGEST_S = 900.0
_SQL = "SELECT method, count(*) AS frames, max(bytes) AS longest FROM frames GROUP BY ALL ORDER BY ALL"
#: What is asked of a trace that is loaded; `{file}` is the trace itself.
_ASKED: dict[str, tuple[str, ...]] = {
    "load": ("load", "{file}"),
    "show": ("show",),
    "check": ("check", "last"),
    "stats": ("stats",),
    "query": ("query", _SQL),
    "diff with itself": ("diff", "{file}", "{file}"),
}
_STATS = 10_000_000, 5.0  #: frames, and the seconds that `stats` may take once they are loaded
_LINEAR = 1.1  #: a tenth is noise


def growth(folder: Path, *, quick: bool) -> list[Row]:
    """10,000 to a million frames, with `quick` to 100,000."""
    return _grown(folder, _SIZES[: 2 if quick else 3])


def growth_to_ten_million(folder: Path, *, quick: bool) -> list[Row]:
    """The same up to ten million frames: about ten minutes, 5 GB of disk."""
    return _grown(folder, _SIZES[: 3 if quick else 4])


def _grown(folder: Path, sizes: Sequence[int]) -> list[Row]:
    found = {size: _asked(folder, size) for size in sizes}
    rows = []
    for what in _ASKED:
        times = [(size, found[size][what].seconds) for size in sizes]
        rows.append(Row(f"{what}, {sizes[0]:,} frames", "s", times[0][1]))
        rows += [grown(what, size, took, less) for (_, less), (size, took) in pairwise(times)]
        rows.append(Row(f"{what}, {sizes[-1]:,} frames, peak memory", "MB", found[sizes[-1]][what].megabytes))
    if sizes[-1] == _STATS[0]:
        rows.append(
            Row(
                "stats, 10,000,000 frames, once loaded",
                "s",
                found[sizes[-1]]["stats"].seconds,
                aim=("<", _STATS[1]),
            )
        )
    return rows


def grown(what: str, size: int, took: float, less: float, of: str = "frames") -> Row:
    """A size held against ten times the next smaller one. `took`, `less`: seconds of both."""
    ratio = took / (10 * less)
    against = f"10 × {size // 10:,} {of}"
    return Row(f"{what}, {size:,} {of}", "s", took, 10 * less, against, (ratio, ratio, ratio), ("≤", _LINEAR))


def _asked(folder: Path, size: int) -> dict[str, Cost]:
    """What each command takes."""
    trace, home = folder / f"{size}.jsonl", folder / f"home-{size}"
    write_trace(trace, size)
    environment = {**os.environ, VARIABLE: str(home)}
    found = {}
    for what, words in _ASKED.items():
        argv = [command(), *(word.format(file=trace) for word in words)]
        # `check` ends with 1: it finds the turn that the trace's end cuts off
        found[what] = cost(argv, int(what == "check"), environment=environment, longest=_LONGEST_S)
    trace.unlink()
    return found
