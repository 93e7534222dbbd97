"""What a place costs: pushing, building its tables and asking them, as it grows; and one day of a year.

Whole processes on traces of a team (`tests/lake/proof/corpus.py`), which are 10 kB long on average. Each size is
held against ten times the next smaller one, measured in the same run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from acp_trace.trace.names import VARIABLE
from tests.bench.growth import grown
from tests.bench.timing import Cost, Row, command, compared, cost
from tests.bench.traffic import write_trace
from tests.bucket.server import S3Server
from tests.lake.proof.corpus import make

_SIZES = (1_000, 10_000, 100_000)
#: So many traces have a day of their own: the days of a place grow with it.
_A_DAY = 1_000
#: The most files that one command is given.
_AT_ONCE = 5_000
_LONGEST_S = 3600.0
_GIANT_FRAMES = 100_000
_YEAR_DAYS = 365
_AGENTS = "SELECT agent_name, count(*), sum(frames_agent) FROM traces GROUP BY ALL"
_SLOW_TURNS = "SELECT stop_reason, count(*), max(duration_ns) FROM turns {where} GROUP BY ALL"
_NEEDS_MEMORY = ("push", "lake build", "lake build, nothing new")
_ONE_DAY = "WHERE day = '2026-01-01'"
_ASKED: dict[str, tuple[str, ...]] = {
    "lake build, nothing new": ("lake", "build", "DEST"),
    "ls --at": ("ls", "--at", "DEST"),
    "query --at, all traces": ("query", "--at", "DEST", _AGENTS),
    "query --at, turns of one day": ("query", "--at", "DEST", _SLOW_TURNS.format(where=_ONE_DAY)),
    "stats --at": ("stats", "--at", "DEST"),
}


def team(folder: Path, *, quick: bool) -> list[Row]:
    """1,000 and 10,000 traces in a directory, with `quick` 100 and 1,000; beside `load` on 1,000."""
    return _grown(folder, (100, 1_000) if quick else _SIZES[:2])


def team_large(folder: Path, *, quick: bool) -> list[Row]:
    """The same up to 100,000 traces, a gigabyte: about a quarter of an hour."""
    return _grown(folder, _SIZES[: 2 if quick else 3])


def _grown(folder: Path, sizes: Sequence[int]) -> list[Row]:
    rows = [*_beside_load(folder, sizes[0])]
    found = []
    for size in sizes:
        costs, sized = _asked(folder, size)
        found.append(costs)
        rows += sized
    for what in found[0]:
        first, last = found[0][what], found[-1][what]
        rows.append(Row(f"{what}, {sizes[0]:,} traces", "s", first.seconds))
        rows += [
            grown(what, size, costs[what].seconds, less[what].seconds, "traces")
            for size, (less, costs) in zip(sizes[1:], pairwise(found), strict=True)
        ]
        if what in _NEEDS_MEMORY:
            rows.append(Row(f"{what}, {sizes[-1]:,} traces, peak memory", "MB", last.megabytes))
        if what in {"push", "lake build"}:
            rows.append(Row(f"{what}, {sizes[-1]:,} traces, processor time", "s", last.processor_seconds))
    return rows


def _asked(folder: Path, size: int) -> tuple[dict[str, Cost], list[Row]]:
    """What each command takes, and how large the place is."""
    home, place = folder / f"team-{size}", folder / f"place-{size}"
    corpus = make(folder / f"traces-{size}", size, days=max(size // _A_DAY, 1))
    environment = {**os.environ, VARIABLE: str(home)}

    def run(*words: str) -> Cost:
        return cost([command(), *words], 0, environment=environment, longest=_LONGEST_S)

    found = {
        "push": _pushed(run, place, corpus.traces),
        "push, all of them there": _pushed(run, place, corpus.traces),
        "lake build": run("lake", "build", str(place)),
    }
    for what, words in _ASKED.items():
        found[what] = run(*(word.replace("DEST", str(place)) for word in words))
    return found, _sizes(place, size, corpus.bytes)


def _pushed(run: Callable[..., Cost], place: Path, files: Sequence[Path]) -> Cost:
    """What it takes to push them, by one command after the other."""
    costs = [
        run("push", str(place), "--as-is", *map(str, files[at : at + _AT_ONCE]))
        for at in range(0, len(files), _AT_ONCE)
    ]
    return Cost(
        sum(one.seconds for one in costs),
        max(one.megabytes for one in costs),
        sum(one.processor_seconds for one in costs),
    )


def _sizes(place: Path, size: int, raw: int) -> list[Row]:
    def total(under: str, ending: str) -> tuple[int, float]:
        sizes = [path.stat().st_size for path in (place / under).rglob(f"*{ending}")]
        return len(sizes), sum(sizes) / 1e6

    (_, packed), (files, tables) = total("traces", ".zst"), total("lake", ".parquet")
    newest = max((place / "lake" / "commits").iterdir())
    what = f"{size:,} traces"
    return [
        compared(f"traces in the place, {what}", "MB", [(packed, raw / 1e6)], "trace files"),
        compared(f"tables in the place, {what}", "MB", [(tables, raw / 1e6)], "trace files"),
        Row(f"files of tables, {what}", "", files),
        Row(f"the newest commit, {what}", "kB", newest.stat().st_size / 1e3),
    ]


def _beside_load(folder: Path, size: int) -> list[Row]:
    """A build by one process beside `load` on the same traces: many small ones, and a giant one."""
    rows = []
    small = make(folder / "beside", size, days=1, giant_frames=0).traces
    giant = folder / "giant.jsonl"
    write_trace(giant, _GIANT_FRAMES)
    for name, files in ((f"{size:,} traces", small), (f"a trace of {_GIANT_FRAMES:,} frames", [giant])):
        home, place = folder / f"home of {name}", str(folder / f"place of {name}")
        environment = {**os.environ, VARIABLE: str(home)}

        def run(*words: str, environment: dict[str, str] = environment) -> Cost:
            return cost([command(), *words], 0, environment=environment, longest=_LONGEST_S)

        run("push", place, "--as-is", *map(str, files))
        built, loaded = run("lake", "build", place, "--jobs", "1"), run("load", *map(str, files))
        times = [(built.processor_seconds, loaded.processor_seconds)]
        rows.append(compared(f"lake build by one process, processor time, {name}", "s", times, "load"))
        rows.append(compared(f"the same, whole, {name}", "s", [(built.seconds, loaded.seconds)], "load"))
    return rows


def day_of_a_year(folder: Path, *, quick: bool) -> list[Row]:
    """What is read of a bucket for a question over one day of a year, beside the same over the whole year."""
    days = 30 if quick else _YEAR_DAYS
    corpus = make(folder / "year", 2 * days, days=days, giant_frames=0)
    place, rows = "s3://traces/team", []
    with S3Server() as server:
        server.make_bucket("traces")
        environment = {**os.environ, VARIABLE: str(folder / "home of a year"), **server.environment}

        def run(*words: str) -> tuple[float, float, float]:
            server.forget()
            took = cost([command(), *words], 0, environment=environment, longest=_LONGEST_S).seconds
            return took, server.requests.total(), sum(server.sent.values()) / 1e3

        run("push", place, "--as-is", *map(str, corpus.traces))
        build = run("lake", "build", place)
        rows.append(Row(f"lake build of {days} days in a bucket, {len(corpus.traces)} traces", "s", build[0]))
        rows.append(Row("the same, requests", "", build[1]))
        day = run("query", "--at", place, _SLOW_TURNS.format(where=_ONE_DAY))
        year = run("query", "--at", place, _SLOW_TURNS.format(where=""))
        for what, unit, ours, all_days in zip(
            ("time", "requests", "bytes read"), ("s", "", "kB"), day, year, strict=True
        ):
            against = f"all {days} days"
            rows.append(compared(f"turns of one day, {what}", unit, [(ours, all_days)], against))
    return rows
