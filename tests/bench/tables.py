"""Results as tables: for a terminal, and in their places in docs/evidence/benchmarks.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.timing import Row

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "benchmarks.md"
_HEADINGS = ("what", "ours", "baseline", "ratio (lowest – highest)", "aim", "reached")


def plain(rows: Sequence[Row]) -> str:
    """For a terminal. Columns that say nothing are left out."""
    cells = _cells(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)


def facts(machine: Mapping[str, str]) -> str:
    """The machine in one line."""
    return ", ".join(f"{name} {value}" for name, value in machine.items())


def put(name: str, rows: Sequence[Row], machine: Mapping[str, str], *, quick: bool) -> None:
    """Puts a table into its place on the page. One without a place there (`growth`, `team`) is left out."""
    cells = _cells(rows)
    cells.insert(1, ("---",) * len(cells[0]))
    lines = [f"| {' | '.join(line)} |" for line in cells]
    command = f"just bench --only {name}{' --quick' * quick}"
    text = "\n".join([*lines, "", f"`{command}`, {facts(machine)}", ""])
    place = re.compile(rf"(<!-- bench: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    _PAGE.write_text(place.sub(lambda found: f"{found[1]}{text}{found[2]}", _PAGE.read_text()))


def _cells(rows: Sequence[Row]) -> list[tuple[str, ...]]:
    lines = [_HEADINGS, *map(_line, rows)]
    used = [at for at, cells in enumerate(zip(*lines[1:], strict=True)) if any(cells)]
    return [tuple(line[at] for at in used) for line in lines]


def _line(row: Row) -> tuple[str, ...]:
    ratio = "{:.2f}× ({:.2f} – {:.2f})".format(*row.ratio) if row.ratio else ""
    if row.ratio and len(set(row.ratio)) == 1:
        ratio = f"{row.ratio[0]:.2f}×"
    baseline = "" if row.baseline is None else f"{_number(row.baseline, row.unit)}  {row.against}"
    aim = f"{row.aim[0]} {row.aim[1]:g}{'×' if row.ratio else ' ' + row.unit}".strip() if row.aim else ""
    reached = {True: "yes", False: "NO", None: ""}[row.reached]
    return row.what, _number(row.ours, row.unit), baseline, ratio, aim, reached


def _number(value: float, unit: str) -> str:
    digits = 0 if value >= 100 or not unit else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".strip()
