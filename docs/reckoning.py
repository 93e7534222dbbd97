"""The tables of docs/evidence/ten-million.md, calculated from the figures in docs/evidence/benchmarks.md."""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_PAGE = Path(__file__).resolve().parent / "evidence" / "benchmarks.md"
_UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}

#: What is reckoned for, and what is assumed; everything else is measured, or stands in the code.
TRACES = 10_000_000
CORES = 16
LIST_S = 0.1
NAMES_A_LIST = 1000
PUT, GET, STORED = 0.005 / 1000, 0.0004 / 1000, 0.023  #: dollars for a request, and for a GB and month
#: How many traces were measured.
MEASURED = 100_000


class Line(NamedTuple):
    """One line of a table."""

    what: str
    value: str
    how: str


def measured(what: str, column: int = 1) -> float:
    """A figure of the page of benchmarks: seconds, bytes, or a number. `column`: 1 ours, 2 the baseline.

    Raises LookupError if there is no such row.
    """
    for row in _PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) > column + 1 and cells[1] == what:
            number, unit = re.match(r"([\d.,]+)\s*(\w*)", cells[column + 1]).groups()  # type: ignore[union-attr]
            return float(number.replace(",", "")) * _UNITS.get(unit, 1)
    raise LookupError(f"no row {what} in {_PAGE.name}")


def _a_trace(what: str, column: int = 1, of: str = "") -> float:
    return measured(f"{what}, {MEASURED:,} traces{of}", column) / MEASURED


def lines() -> dict[str, list[Line]]:
    """The tables, by the names of their parts."""
    from acp_trace.store import schema
    from acp_trace.team.lake import plan

    raw = _a_trace("traces in the place", 2)
    packed, tables = _a_trace("traces in the place"), _a_trace("tables in the place")
    units = -(-TRACES // plan.UNIT_TRACES)
    groups = -(-int(TRACES * tables) // plan.MERGE_BYTES)
    files = len(schema.TABLES)
    commit_file = measured(f"the newest commit, {MEASURED:,} traces") / measured(
        f"files of tables, {MEASURED:,} traces"
    )
    lists = TRACES // NAMES_A_LIST
    push, built = (_a_trace(what, of=", processor time") for what in ("push", "lake build"))
    plan_bytes = _a_trace("lake build, nothing new", of=", peak memory")
    puts = TRACES + units * files + groups * files
    gets = 2 * TRACES
    month = 30 * TRACES * (packed + tables) / 1e9 * STORED
    return {
        "size": [
            Line("trace files, as recorded", _bytes(TRACES * raw), f"{raw / 1e3:.1f} kB a trace"),
            Line("objects of traces", f"{TRACES:,}", "one a trace"),
            Line("their bytes", _bytes(TRACES * packed), f"{packed / 1e3:.2f} kB a trace"),
            Line("bytes of tables", _bytes(TRACES * tables), f"{tables / 1e3:.2f} kB a trace"),
            Line("groups, as they are built", f"{units:,}", f"{plan.UNIT_TRACES:,} traces each"),
            Line("groups, after merging", f"{groups:,}", f"{plan.MERGE_BYTES >> 20} MB each"),
            Line("files of tables, after merging", f"{groups * files:,}", f"{files} tables each"),
            Line("the same after a year", f"{365 * groups * files:,}", "365 days"),
            Line(
                "a commit after a year",
                _bytes(365 * groups * files * commit_file),
                f"{commit_file:.0f} bytes a file; each commit is that long",
            ),
            Line("stored after a year", _bytes(365 * TRACES * (packed + tables)), "traces and tables"),
        ],
        "work": [
            Line(
                "pushing",
                f"{TRACES * push / 3600:,.0f} core hours",
                f"{push * 1e3:.1f} ms a trace: on the machines that recorded them",
            ),
            Line("objects a second", f"{TRACES / 86_400:,.0f}", "on the average of a day"),
            Line("building", f"{TRACES * built / 3600:,.1f} core hours", f"{built * 1e3:.1f} ms a trace"),
            Line(
                f"the same with {CORES} cores",
                f"{TRACES * built / 3600 / CORES:,.1f} hours",
                "the objects are fetched meanwhile",
            ),
            Line(
                "listing the day, once",
                f"{lists:,} requests, {lists * LIST_S / 60:.0f} minutes",
                f"{NAMES_A_LIST:,} names a request, {LIST_S:g} s a request (assumed)",
            ),
            Line(
                "listing a year, once",
                f"{365 * lists:,} requests, {365 * lists * LIST_S / 3600:,.0f} hours",
                "a build without `--since`",
            ),
            Line(
                "memory of a build that plans this day",
                _bytes(TRACES * plan_bytes),
                f"{plan_bytes / 1e3:.2f} kB a trace, with the program itself",
            ),
        ],
        "cost": [
            Line("putting", _dollars(puts * PUT), f"{puts:,} requests at ${PUT * 1000:g} for a thousand"),
            Line(
                "asking whether they are there, and reading them",
                _dollars(gets * GET),
                f"{gets:,} requests at ${GET * 1000:g} for a thousand",
            ),
            Line("listing the day, 24 times", _dollars(24 * lists * PUT), "a build each hour, `--since 1d`"),
            Line(
                "storing, a month of such days", _dollars(month) + " a month", f"${STORED:g} a GB and month"
            ),
        ],
    }


def table(part: str) -> str:
    """One of the tables, for the page."""
    head = "| what | how much | calculated from |\n| --- | --- | --- |\n"
    return head + "".join(f"| {line.what} | {line.value} | {line.how} |\n" for line in lines()[part])


def _bytes(number: float) -> str:
    unit = next(unit for unit, size in reversed(_UNITS.items()) if number >= size)
    value = number / _UNITS[unit]
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"


def _dollars(number: float) -> str:
    return f"${number:,.2f}"
